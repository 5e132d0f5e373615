"""What commands that write several files have in common: a folder, and nothing of the user's overwritten."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from pddl2nl.cli.output import write_text_file
from pddl2nl.errors import InputError

__all__ = ["write_folder"]


def write_folder(folder: Path, texts: Mapping[str, str], inputs: Iterable[Path]) -> list[Path]:
    """Writes texts under their file names into a folder, made where it is missing, and gives the paths.

    Raises:
        InputError: one of the files would overwrite one that was read; nothing is written then.
        InfrastructureError: the disk refuses.
    """
    read = {path.resolve(): path for path in inputs}
    paths = [folder / name for name in texts]
    for path in paths:
        if path.resolve() in read:
            raise InputError(
                f"{path} would overwrite {read[path.resolve()]}, which was read; give another --out folder"
            )
    for path, text in zip(paths, texts.values(), strict=True):
        write_text_file(path, text)
    return paths

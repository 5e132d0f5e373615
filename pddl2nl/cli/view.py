"""``pddl2nl view``: a live page of the runs below a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pddl2nl.cli.options import argument, option, switch
from pddl2nl.cli.output import print_text


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("view", epilog="Example: pddl2nl view runs/first")(_view)


def _view(
    folder: Annotated[Path, argument("[DIR]", "Folder of records: of one or several experiments, or single runs.")] = (
        Path("runs")
    ),
    port: Annotated[int, option("N", "Port on 127.0.0.1.", "a free one", min=0, max=65535)] = 0,
    no_open: Annotated[bool, switch("--no-open", "Open no browser.")] = False,
) -> None:
    """Watch runs in a browser while they run: a page of this machine with every queued, running and finished run.

    The page has filters, totals, the first failures by kind, and the time left; a run opens step by step, and grows
    while it runs. It reads the folder that any experiment writes, also one on a cluster, and writes nothing. Ctrl-C
    ends the viewer and stops no run. pddl2nl report --format html makes pages to share.

    Exit code 2: no such folder, or the port is taken; 130: Ctrl-C.
    """
    from pddl2nl.reports.html.live import LiveServer

    with LiveServer(folder, port) as server:
        print_text(f"view: {server.address} (Ctrl-C ends it, and stops no run)")
        if not no_open:
            import webbrowser

            webbrowser.open(server.address)
        server.serve_forever()

"""``python -m pddlval DOMAIN PROBLEM PLAN…``: validation alone, with the standard library's command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from pddl2nl.files import read_lines
from pddl2nl.pddl import InputError, Pddl2nlError
from pddlval.command import BAD_INPUT, judge_batch, judge_files, tolerances_of
from pddlval.streams import READER_GONE, drop_output, set_streams

INFRASTRUCTURE = 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns its exit code: 0 all valid, 1 some not, 2 bad input, 3 no room for output."""
    parser = _parser()
    # Intermixed: an option may stand between the files.
    options = parser.parse_intermixed_args(arguments)
    if options.batch is None and not options.plans:
        parser.error("expected DOMAIN PROBLEM PLAN…, or --batch FILE")
    if options.batch is not None and (options.domain is not None or not options.json):
        parser.error("--batch takes no other file, and needs --json")
    try:
        tolerances = tolerances_of(options.val_tolerance, options.times)
        if options.batch is not None:
            return judge_batch(read_lines(options.batch), _write, tolerances=tolerances)
        return judge_files(
            options.domain,
            options.problem,
            options.plans,
            _write,
            verbose=options.verbose,
            as_json=options.json,
            tolerances=tolerances,
        )
    except Pddl2nlError as error:
        sys.stderr.write(f"error: {error}\n")
        return BAD_INPUT if isinstance(error, InputError) else INFRASTRUCTURE
    except BrokenPipeError:
        drop_output()
        return READER_GONE
    except OSError as error:
        drop_output()
        sys.stderr.write(f"error: {error}\n")
        return INFRASTRUCTURE
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m pddlval",
        description="Validate plans, with the verdicts and the text of VAL.",
        epilog="Example: python -m pddlval domain.pddl problem.pddl plan.txt -v",
    )
    parser.add_argument("domain", metavar="DOMAIN", nargs="?")
    parser.add_argument("problem", metavar="PROBLEM", nargs="?")
    parser.add_argument("plans", metavar="PLAN", nargs="*", help="a plan file; - is standard input")
    parser.add_argument("-v", "--verbose", action="store_true", help="say what every step does, as VAL's -v")
    parser.add_argument("--json", action="store_true", help="print JSON, one object a plan")
    parser.add_argument("--batch", metavar="FILE", help='JSON lines {"domain", "problem", "plan" or "plan_text"}')
    parser.add_argument(
        "--val-tolerance",
        action="store_true",
        help="judge as VAL does: numbers may miss by 0.0001, times by 0.01 (default: exact)",
    )
    parser.add_argument("-t", dest="times", metavar="N", help="judge as VAL's -t does: times may miss by N")
    return parser


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


if __name__ == "__main__":
    set_streams()
    sys.exit(main())

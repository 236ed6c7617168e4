"""The command-line parser that all benchmarks share."""

from __future__ import annotations

import argparse


def new_parser(doc: str | None) -> argparse.ArgumentParser:
    """Return a parser whose help is the first line of `doc`, with the option `--smallest`."""
    parser = argparse.ArgumentParser(description=(doc or "").splitlines()[0])
    parser.add_argument(
        "--smallest",
        action="store_true",
        help="only check that the benchmark runs: on its smallest game, for a moment",
    )
    return parser

"""Time of parsers by the length of their text: `python -m benchmarks.parser_time`.

For each parser, the table gives the time of the slowest text among many shapes, at lengths that
double up to the bound. A linear parser takes twice as long for twice the length.
"""

from __future__ import annotations

import time
from contextlib import suppress

from benchmarks._arguments import new_parser
from tests.fuzz.parsers import REFUSALS, Parser, parsers, shaped
from zhaifei.game.rules import Rules
from zhaifei.game.texts import LONGEST

RULES = Rules.of(players=8, dice=9, faces=9, first_count=1)
"""Rules with the longest histories."""


def main() -> None:
    options = new_parser(__doc__).parse_args()
    lengths = (
        [LONGEST // 64] if options.smallest else [LONGEST // 8, LONGEST // 4, LONGEST // 2, LONGEST]
    )
    print(f"{'ms by length':<24}" + "".join(f"{length:>9,}" for length in lengths))
    for name, parser in parsers(RULES).items():
        times = [max(seconds(parser, text) for text in shaped(length)) for length in lengths]
        print(f"{name:<24}" + "".join(f"{1e3 * taken:>9.2f}" for taken in times))


def seconds(parser: Parser, text: str) -> float:
    """Return the shortest time of some runs."""
    taken = []
    for _ in range(3):
        began = time.perf_counter()
        with suppress(*REFUSALS):
            parser.read(text)
        taken.append(time.perf_counter() - began)
    return min(taken)


if __name__ == "__main__":
    main()

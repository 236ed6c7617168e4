"""Make a shipped policy from what `zhaifei solve` has written, without what is rare.

    python -m benchmarks.trim zhaifei-5p-jump solved.safetensors --out zhaifei-5p-jump.safetensors

The shipped file is a trimmed copy (`solver.tables.trimming`). With 跳开 a solved file is too large
to ship, and the copy has at most 6 MB. Without 跳开, the policies for three, four and eight players
lack the nodes to which the mover's own bids never lead, and have fewer steps. That for eight has so
few that the page can take it whole. The sizes and the exact NashConv of both files are printed.

The page takes a copy with 跳开 as it is. So the training record has what the page tells of a
policy, as in `app.pocket.pocket_policies`: its name, and its NashConv as the certified figure.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from benchmarks._arguments import new_parser
from benchmarks._trained import trained
from zhaifei.app.pocket.pocket_policies import certified_figure
from zhaifei.game.rules import Rules
from zhaifei.policies.players.table_policy import TablePolicy, load_policy, save_policy
from zhaifei.solver.tables.trimming import Thresholds, trimmed

THRESHOLDS = {
    "zhaifei-3p": Thresholds(weight=1e-6, hand=1e-12, share=0.0, fine=1e-9, steps=512),
    "zhaifei-4p": Thresholds(weight=1e-6, hand=1e-12, share=0.0, fine=1e-9, steps=512),
    "zhaifei-8p": Thresholds(weight=1e-6, hand=1e-12, share=0.0, fine=1e-9, steps=128),
    "zhaifei-3p-jump": Thresholds(weight=1e-5, hand=1e-8, share=0.0, fine=1e-9, steps=64),
    "zhaifei-4p-jump": Thresholds(weight=1e-3, hand=1e-8, share=0.02, fine=1e-2, steps=128),
    "zhaifei-5p-jump": Thresholds(weight=1e-3, hand=1e-8, share=0.02, fine=2e-2, steps=64),
    "zhaifei-6p-jump": Thresholds(weight=1e-3, hand=1e-8, share=0.03, fine=4e-2, steps=64),
}
"""What is left out of a solved policy, by the name of the shipped one."""
_SMALLEST = Rules.of(players=3, dice=1, faces=3, jump_challenge=True)


def trimmed_policy(policy: TablePolicy, name: str) -> TablePolicy:
    """Return a copy of `policy` without what THRESHOLDS leave out of the shipped policy `name`."""
    table = trimmed(policy.tables, policy.table, THRESHOLDS[name])
    copy = TablePolicy(policy.rules, policy.recall, table, policy.training)
    figure = certified_figure(copy)
    told = {"of": name, "figure": figure, "nash_conv": figure}
    return replace(copy, training={**policy.training, **told})


def write_trimmed(name: str, solved: Path, out: Path) -> None:
    """Write the shipped policy `name` from that in the file `solved`; print what both are worth."""
    policy = load_policy(solved)
    copy = trimmed_policy(policy, name)
    save_policy(out, copy)
    for path, figure in ((solved, certified_figure(policy)), (out, copy.training["figure"])):
        print(f"{path.name}: {path.stat().st_size:,} bytes, NashConv {figure:.6f}")


def main() -> None:
    parser = new_parser(__doc__)
    parser.add_argument("name", nargs="?", choices=THRESHOLDS, default=min(THRESHOLDS))
    parser.add_argument("solved", type=Path, nargs="?", help="the file that was solved")
    parser.add_argument(
        "--out",
        type=Path,
        default=None,
        help="the file to write; without it, only figures are printed",
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        solved, out = arguments.solved, arguments.out or Path(directory) / "trimmed.safetensors"
        if arguments.smallest:
            solved = Path(directory) / "solved.safetensors"
            save_policy(solved, trained(_SMALLEST, 50))
        elif solved is None:
            parser.error("name the file that was solved")
        write_trimmed(arguments.name, solved, out)


if __name__ == "__main__":
    main()

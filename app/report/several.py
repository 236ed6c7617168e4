"""The sections of the report on three players and more, one for each shipped policy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from zhaifei.app.report.markdown import markdown_table, shell_command
from zhaifei.app.report.verdicts import Verdict
from zhaifei.policies.catalogue.shipped import LEARNED_BY_SEVERAL
from zhaifei.policies.measure.mixed_tables import MixedTables
from zhaifei.policies.measure.several_players import (
    FEWER,
    FEWER_WITH_NETWORKS,
    MIXED_WITH,
    SeveralResults,
    networks_for,
)
from zhaifei.policies.play.simulation import PenaltyShare
from zhaifei.policies.players.rule_based import NAMES, RULES
from zhaifei.policies.research.coalition import SolvedGame

_OPENINGS = 8
"""The number of openings listed, the most probable first."""


def several_section(found: SeveralResults, rounds: int, seed: int) -> Iterator[str]:
    """Yield the paragraphs on one policy."""
    rules = found.rules
    jump = ", with 跳开" if rules.stakes.jump_challenge else ""
    yield f"## 斋飞, {rules.players} players with {rules.dice} dice each{jump}"
    yield "\n".join(
        f"- {one.claim} **{'Yes' if one.holds else 'No'}.** {one.figures}"
        for one in verdicts_of_several(found)
    )
    yield from _nash_conv(found)
    yield from _opening(found, rounds)
    yield from _shares(found, rounds, seed)


def _nash_conv(found: SeveralResults) -> Iterator[str]:
    yield f"### NashConv of {found.name}"
    yield (
        "What a best response with perfect recall, in the full game, earns in each seat if all "
        "others play the table of the policy, and how much more that is than the table itself "
        f"earns there: penalty points a round, exact. NashConv, the sum over seats, is "
        f"**{found.earned.nash_conv.upper:.6f}**; an equilibrium has 0."
    )
    yield shell_command(f"zhaifei evaluate {found.name}")
    seats = zip(found.earned.seats, found.gains, strict=True)
    yield markdown_table(
        ["seat", "a best response earns", "gains"],
        [
            [str(seat), f"{best.upper:+.6f}", f"{gain.upper:.6f}"]
            for seat, (best, gain) in enumerate(seats, 1)
        ],
    )


def _opening(found: SeveralResults, rounds: int) -> Iterator[str]:
    rules, opening = found.rules, found.opening
    yield f"### How {found.name} opens"
    yield markdown_table(
        ["opening", "share"],
        [[str(bid), f"{share:.1%}"] for bid, share in opening.openings[:_OPENINGS]],
    )
    yield (
        f"An opening is 飞 with probability {opening.fei:.1%} and then claims "
        f"{opening.count:.2f} dice on average, where {rules.total_dice * 2 / rules.faces:.2f} show "
        f"a face or a one on average. It is true with probability {opening.true:.1%}, and the next "
        f"player challenges it with probability {opening.challenged:.1%}. In {rounds:,} rounds of "
        f"the table with itself there were {opening.bids:.2f} bids a round, and "
        f"{opening.right:.1%} of the challenges met a false bid."
    )


def _shares(found: SeveralResults, rounds: int, seed: int) -> Iterator[str]:
    rules, mixed = found.rules, found.mixed
    yield f"### Penalty shares of {found.name}"
    yield (
        f"Of all penalty points, what one player takes alone among {rules.players - 1} copies of "
        f"another, in every seat with the same dice, about {rounds:,} rounds each; "
        f"{_fair(found):.1%} is fair, less is better."
    )
    yield markdown_table(
        ["player", f"{found.name} among them", f"one of them among {found.name}"],
        [[name, _percent(pair.own), _percent(pair.other)] for name, pair in found.shares.items()],
    )
    yield (
        f"At {mixed.tables} mixed tables, with every choice of {rules.players - 1} of the players "
        f"{', '.join(MIXED_WITH)}: the share at the tables where the player sits, about "
        f"{rounds // FEWER:,} rounds each. At {mixed.least} of the tables nobody took fewer points "
        f"than {found.name}."
    )
    yield shell_command(
        f"python -m benchmarks.reading --policy policies/data/{found.name}.safetensors "
        f"--rounds {rounds // FEWER} --seed {seed}"
    )
    yield _shares_of(mixed)
    if found.with_networks:
        yield from _with_networks(found, found.with_networks, rounds)


def _with_networks(found: SeveralResults, mixed: MixedTables, rounds: int) -> Iterator[str]:
    yield (
        f"At {mixed.tables} more mixed tables at least one of the others is a network "
        f"({', '.join(networks_for(found.rules))}), about {rounds // FEWER_WITH_NETWORKS:,} rounds "
        f"each. At {mixed.least} of the tables nobody took fewer points than {found.name}."
    )
    yield _shares_of(mixed)


def _shares_of(mixed: MixedTables) -> str:
    return markdown_table(
        ["player", "share"], [[name, _percent(share)] for name, share in mixed.shares.items()]
    )


def coalition_section(games: Sequence[SolvedGame]) -> Iterator[str]:
    """Yield the paragraphs on two players who conspire against the third."""
    yield "## 斋飞, two against one"
    yield (
        "An equilibrium of three promises nothing against two who conspire. What each seat earns "
        "with a solution of a small game, in penalty points a round: if nobody conspires, if the "
        "two others see each other's dice (exact), and if they see only their own (at least as "
        "much as with the dice in view, and no more than against the best pair that was found)."
    )
    yield markdown_table(
        ["dice each", "NashConv", "seat", "nobody conspires", "dice in view", "own dice only"],
        [
            [
                str(game.dice),
                f"{game.nash_conv:.6f}",
                str(number),
                f"{seat.alone.upper:+.4f}",
                f"{seat.talking.upper:+.4f}",
                f"{seat.silent.lower:+.4f} to {seat.silent.upper:+.4f}",
            ]
            for game in games
            for number, seat in enumerate(game.seats, 1)
        ],
    )


def verdicts_of_several(found: SeveralResults) -> list[Verdict]:
    """Return claims about the shares of a shipped policy among rule-based players and among
    networks, each with whether the confidence intervals support it."""
    own = {name: found.shares[name].own for name in NAMES}
    others = {name: found.shares[name].other for name in NAMES}
    worst, best = _most(own), _least(others)
    mixed, ours = dict(found.mixed.shares), found.mixed.shares[found.name]
    ahead = _least({name: mixed[name] for name in RULES})
    mean = fmean(own[name].share for name in RULES)
    return [
        Verdict(
            "Alone among copies of any rule-based player it takes less than its fair share.",
            own[worst].upper < _fair(found),
            f"The most among {worst}, {_percent(own[worst])} where {_fair(found):.1%} is fair; "
            f"{mean:.1%} on average over those that know their dice.",
        ),
        Verdict(
            "A rule-based player alone among copies of it takes at least its fair share.",
            others[best].lower >= _fair(found),
            f"The least is what {best} takes, {_percent(others[best])}.",
        ),
        Verdict(
            "At mixed tables no rule-based player takes a smaller share.",
            ours.upper <= mixed[ahead].lower,
            f"It takes {_percent(ours)}, the best of them, {ahead}, {_percent(mixed[ahead])}.",
        ),
        *(_among_network(found, name) for name in found.shares if name in LEARNED_BY_SEVERAL),
        *_at_tables_with_networks(found),
    ]


def _among_network(found: SeveralResults, name: str) -> Verdict:
    own, other = found.shares[name]
    return Verdict(
        f"Alone among copies of {name}, which learnt by play, it takes less than its fair share.",
        own.upper < _fair(found),
        f"It takes {_percent(own)}; {name} alone among copies of it takes {_percent(other)}.",
    )


def _at_tables_with_networks(found: SeveralResults) -> Iterator[Verdict]:
    if found.with_networks is None:
        return
    others, seat, most = found.with_networks.most
    share = found.with_networks.shares[found.name]
    yield Verdict(
        "At every mixed table with networks it takes less than its fair share in every seat.",
        most.upper < _fair(found),
        f"It takes {_percent(share)} of the points at these tables, and the most, "
        f"{_percent(most)}, in seat {seat + 1} among {', '.join(others)}.",
    )


def _fair(found: SeveralResults) -> float:
    return 1.0 / found.rules.players


def _most(shares: Mapping[str, PenaltyShare]) -> str:
    return max(shares, key=lambda name: shares[name].share)


def _least(shares: Mapping[str, PenaltyShare]) -> str:
    return min(shares, key=lambda name: shares[name].share)


def _percent(share: PenaltyShare) -> str:
    return f"{share.share:.1%} ±{share.margin:.1%}"

"""The screen of a person who plays or watches; lines have the present width of the console.

Colour never carries information of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich.console import Console
from rich.measure import Measurement
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
from rich.status import Status
from rich.table import Table
from rich.text import Text

from zhaifei.app.locale import say, say_action, say_message
from zhaifei.app.said import bids_unlike_you, rests_on, what_it_decides, worth
from zhaifei.app.terminal.rules_help import rules_help
from zhaifei.game.bids import (
    Bid,
    challenge_action,
    challengeable,
    counted,
    counts_for,
    domain,
    gives_up,
    settled_by,
    turn_at,
)
from zhaifei.game.hands import Hand
from zhaifei.game.legal import legal_bids_with
from zhaifei.game.match import Standing, winner_of
from zhaifei.game.notation import CHALLENGE, format_hand, format_history
from zhaifei.game.parts import Raising
from zhaifei.game.public_state import FORFEIT
from zhaifei.game.rounds import Round, Settlement
from zhaifei.game.rules import Rules
from zhaifei.game.stakes import change_of_score, dice_at, loss, score_name
from zhaifei.game.views import View
from zhaifei.policies.play.played import UNNAMED, PlayedRound

if TYPE_CHECKING:
    from zhaifei.policies.advice.advice import Advice
    from zhaifei.policies.players.match_policy import Stakes

_PIPS = {
    1: "    ●    ",
    2: "●       ●",
    3: "●   ●   ●",
    4: "● ●   ● ●",
    5: "● ● ● ● ●",
    6: "● ●● ●● ●",
    7: "● ●●●●● ●",
    8: "●●●● ●●●●",
    9: "●●●●●●●●●",
}
"""Pips of each face: three rows of three characters."""
_DIE_WIDTH = 8
"""Columns of a drawn die and the gap after it."""
_NUMBER = re.compile(r"[-+]?[0-9.]+%?( \(.*)?")
_ENDLESS = 10_000
"""A width beyond any table."""
_SHOWN = 0.005
"""Advice omits actions with a lower probability."""
_FEW = 6
"""The least number of actions shown, if there are as many."""

TableRow = dict[str, str | Text]
"""A row of a table: cells by the name of their column."""
Query = Callable[[Sequence[int]], str]
"""Returns the command that gives advice on a round, without --hand and --history; empty if no
command does. The argument has the players' numbers of dice, from the opener on."""


def always(command: str) -> Query:
    """Return a Query with this command, whatever dice the players have."""
    return lambda dice: command


_FULL_GAME = always("zhaifei query")
_RULES = Rules()


class Shown(NamedTuple):
    """What a challenge showed."""

    bid: Bid
    loser: int | None
    """The seat that lost; None if it is unknown."""
    cost: int
    """The penalty points or dice that the loser lost."""


class Screen:
    """An Onlooker that prints. `names` is [seat]; `you` is the seat of the person who plays, or
    None; `query` returns the command that gives advice on hands and histories. Scores [seat] are
    penalty points or dice left, as the `rules` say."""

    def __init__(
        self,
        console: Console,
        names: Sequence[str],
        you: int | None = None,
        query: Query = _FULL_GAME,
        rules: Rules = _RULES,
    ) -> None:
        self._console, self._names, self._you, self._query = console, names, you, query
        self._rules = rules
        self._score: Sequence[int] = [0] * len(names)
        self._known: Mapping[int, Hand] = {}

    # Events of an Onlooker

    def begin(
        self, number: int, starter: int, score: Sequence[int], known: Mapping[int, Hand]
    ) -> None:
        """Print a heading and the `known` dice: the person's own, or everyone's."""
        self._score, self._known = list(score), known
        self.line()
        heading = say("Round {number} · first: {who}", number=number, who=self.who(starter))
        self._print(Text(f"── {heading} ──", "bold"))
        if self._you is not None and known.get(self._you):
            self.line(say("your dice"))
            for row in _drawn(known[self._you], self._console.width):
                self._print(Text(row, no_wrap=True, overflow="crop"))
        if len(known) > 1:
            self._seats()

    def act(self, view: View, action: int) -> None:
        """Print one line for a bid, a challenge or giving up, and nothing if the player declines to
        challenge."""
        if gives_up(view.rules, action):
            self._print(Text(say("{who}: gives up (认输)", who=self.who(view.seat)), "bold"))
            return
        distance = action - challenge_action(view.rules) + 1
        who = self.who(view.seat)
        if distance < 1:
            self._bids(view, action)
            return
        if view.bids[-1].doubled:
            self._print(Text(say("{who}: shows the dice", who=who), "bold"))
            return
        in_turn = view.turns_until_own == 0
        if in_turn and not legal_bids_with(view.rules, view.state, sum(view.dice_counts)):
            self.line(say("no raise is left"))
        seat, bid = view.history[-distance]
        bidder = self.who(seat)
        if distance == 1:
            text = say("{who}: challenge of {bid} by {bidder}", who=who, bid=bid, bidder=bidder)
        else:
            text = say(
                "{who}: 跳开, a challenge of {bid} by {bidder}, {distance} bids ago",
                who=who,
                bid=bid,
                bidder=bidder,
                distance=distance,
            )
        self._print(Text(text, "bold"))

    def settle(self, round_: Round, score: Sequence[int]) -> None:
        """Print all dice, those that count in brackets, the loser, and commands for advice."""
        settled, rules = round_.settlement, round_.rules
        assert settled is not None, "the round has ended"
        if settled.challenge is not None:
            self._counted(round_, settled, settled.challenge.bid, score)
        self._loses(rules, settled.loser, settled.cost, score)
        dice = [round_.dice[seat] for seat in round_.seats]
        self._questions(self._query(dice), round_.seats, round_.history, round_.hands)

    def recorded(self, rules: Rules, played: PlayedRound, score: Sequence[int]) -> None:
        """Print the end of a recorded round that cannot be settled, because some dice are unknown
        or it did not end. The `score` [seat] includes what this round cost, if that is known."""
        state = played.state(rules)
        challenge = state.challenged
        if not state.is_over:
            self._print(Text(say("the round was not played to its end"), "bold"))
        elif challenge is not None:
            shown = Shown(challenge.bid, played.loser, challenge.cost)
            self._revealed(rules, played.hands, shown, score)
        if played.loser is not None:
            self._loses(rules, played.loser, played.cost, score)
        elif state.is_over:
            self._print(Text(say("who lost is not known"), "bold"))
        if played.actions:
            *_, before = (state.history for state, _ in played.steps(rules))
            query = self._query([played.dice[seat] for seat in state.seats])
            self._questions(query, state.seats, before, played.hands)

    # Other output

    def line(self, text: str = "") -> None:
        """Print a line of text, wrapped at the width of the console."""
        self._print(Text(text))

    def turn(self, view: View) -> None:
        """Print the view of the player to act: bids, penalty points, own dice and possible
        challenges."""
        self.line()
        self._seats(view)
        self.line(say("your dice: {dice}", dice=" ".join(map(str, view.dice))))
        if not view.history:
            self.line(_opening(view.rules))
        elif view.rules.bidding.raising is Raising.ONE_MORE:
            self.line(say("the next bid has a count of {count}", count=view.bids[-1].count + 1))
        self._doubles(view)
        for distance in _challenges(view):
            seat, bid = view.history[-distance]
            key = "c" if distance == 1 else f"c{distance}"
            self.line(
                say(
                    "type {key} to challenge {bid} by {bidder}",
                    key=key,
                    bid=bid,
                    bidder=self.who(seat),
                )
            )

    def _doubles(self, view: View) -> None:
        """Print how to double and, after a double, how to show the dice or to give up."""
        double, stakes = view.double, (1, *view.rules.stakes.doubled)
        if double is not None:
            told = {"double": double, "points": stakes[double.doubled]}
            self.line(say("type {double} to play for {points} points", **told))
        if view.bids and view.bids[-1].doubled:
            self.line(
                say(
                    "type c to show the dice for {points} points",
                    points=stakes[view.bids[-1].doubled],
                )
            )
        if view.can_give_up:
            ended = settled_by(view.rules, view.bids, 1)
            assert ended is not None, "the player may give up"
            self.line(say("type 认输 or give up to lose {points} at once", points=ended.cost))

    def thinking(self) -> Status:
        """Return a context manager that shows a status line, on a terminal only."""
        return self._console.status(say("thinking (first run: compiling)"))

    def advice(self, advice: Advice, stakes: Stakes | None = None) -> None:
        """Print the policy's strategy. In a match of lost dice, where the round has `stakes`,
        actions are valued by probabilities of winning."""
        self._print(Text(say("hint"), "bold"))
        if stakes is not None:
            self.line(what_it_decides(stakes))
        for bid, chance in advice.true:
            self.line(
                say("{bid} is true with probability {probability:.1%}", bid=bid, probability=chance)
            )
        for text in rests_on(advice):
            self.line(text)
        if not advice.own_on_path:
            self.line(bids_unlike_you())
        self._show(_actions(advice, stakes))

    def help(self, rules: Rules) -> None:
        """Print a summary of the rules and of the input."""
        for text in rules_help(rules):
            self.line(text)

    def standings(self, ranking: Sequence[Standing], rounds: int) -> None:
        """Print the ranking after `rounds` rounds."""
        self.line()
        if rounds == 1:
            heading = say("Standings after one round")
        else:
            heading = say("Standings after {rounds} rounds", rounds=rounds)
        self._print(Text(heading, "bold"))
        self._show(
            [{say("rank"): str(one.rank), **self._player(one.seat, one.score)} for one in ranking]
        )

    def who(self, seat: int) -> str:
        """Return the player in a seat, for use in a sentence."""
        if seat == self._you:
            return say("you")
        if self._names[seat] == UNNAMED:
            return say("seat {seat}", seat=seat + 1)
        return say("seat {seat} ({name})", seat=seat + 1, name=self._names[seat])

    # Parts

    def _name(self, seat: int) -> str:
        return say("you") if seat == self._you else self._names[seat]

    def _bids(self, view: View, action: int) -> None:
        """Print a bid, or the consequence of an invalid bid."""
        who, bids = self.who(view.seat), domain(view.rules)
        if action >= 0:
            if view.rules.bidding.forced_opening and not view.history:
                self.line(say("{who}: {bid}, made by the dice", who=who, bid=bids[action]))
            else:
                self.line(say("{who}: {bid}", who=who, bid=bids[action]))
        elif action == FORFEIT and view.history:
            seat, bid = view.history[-1]
            self.line(
                say(
                    "{who}: no valid bid, so a challenge of {bid} by {bidder}",
                    who=who,
                    bid=bid,
                    bidder=self.who(seat),
                )
            )
        elif action == FORFEIT:
            self.line(say("{who}: no valid bid, which costs a die", who=who))

    def _player(self, seat: int, score: int, new: int = 0) -> TableRow:
        """Return seat, player and score, which has just changed by `new`."""
        column = say_message(score_name(self._rules))
        changed = f" ({new:+})" if new else ""
        return {
            say("seat"): str(seat + 1),
            say("player"): self._name(seat),
            column: f"{score}{changed}",
        }

    def _seats(self, view: View | None = None) -> None:
        """Print all players with their score. If the `view` of the player to act is given, print
        their bids too; print their dice if more than the person's may be shown."""
        rows = []
        for seat, score in enumerate(self._score):
            row: TableRow = {"": "→" if view is not None and seat == view.seat else ""}
            row |= self._player(seat, score)
            if view is not None:
                own = (made.bid for made in view.history if made.seat == seat)
                row[say("bids so far")] = format_history(own)
            if len(self._known) > 1:
                row[say("dice")] = " ".join(map(str, self._known.get(seat, "?")))
            rows.append(row)
        self._show(rows)

    def _counted(self, round_: Round, settled: Settlement, of: Bid, score: Sequence[int]) -> None:
        """Print all dice, and whether the challenged bid is true."""
        shown = Shown(of, settled.loser, settled.cost)
        self._revealed(round_.rules, round_.hands, shown, score)
        bid = {"bid": of, "claimed": of.count, "found": settled.counted}
        if settled.challenge is not None and settled.challenge.given_up_by is not None:
            self.line(say("{who} gave up", who=self.who(settled.challenge.given_up_by)))
        if settled.bid_was_true:
            self.line(say("{bid} is true: {claimed} claimed, {found} on the table", **bid))
        else:
            self.line(say("{bid} is false: {claimed} claimed, {found} on the table", **bid))

    def _revealed(
        self,
        rules: Rules,
        hands: Sequence[Sequence[int] | None],
        shown: Shown,
        score: Sequence[int],
    ) -> None:
        """Print all known dice, with those that count in brackets, and their number. The
        `score` [seat] includes what the round cost."""
        self.line()
        bid, loser, new = shown.bid, shown.loser, change_of_score(rules, shown.cost)
        rows = []
        for seat, hand in enumerate(hands):
            number = counted(rules, bid, hand or ())
            counting = [number > 0 and counts_for(rules, bid, face) for face in hand or ()]
            dice = Text()
            for face, counts in zip(hand or (), counting, strict=True):
                dice.append(f"[{face}] " if counts else f" {face}  ", "bold" if counts else "")
            loses = seat == loser
            row: TableRow = {"": "→" if loses else ""}
            row |= self._player(seat, score[seat], new if loses else 0)
            row |= {say("dice"): dice, str(bid): str(number)}
            if hand is None:
                row |= {say("dice"): " ?", str(bid): "?"}
            rows.append(row)
        self._show(rows)

    def _loses(self, rules: Rules, seat: int, cost: int, score: Sequence[int]) -> None:
        """Print what the round cost its loser, and whether this player is out or the match is
        won."""
        self._print(Text(say_message(loss(rules, cost, self.who(seat))), "bold"))
        dice = dice_at(rules, score, seat)
        winner = winner_of(dice)
        if winner is not None:
            self._print(Text(say("the match is won by {who}", who=self.who(winner)), "bold"))
        elif dice[seat] == 0:
            self._print(Text(say("out of the match: {who}", who=self.who(seat)), "bold"))

    def _questions(
        self,
        query: str,
        in_turn: Sequence[int],
        history: Sequence[Bid],
        hands: Sequence[Sequence[int] | None],
    ) -> None:
        """Print commands for advice, unless `query` is empty, on the last decision of the round and
        the person's last decision, if the dice are known; `hands` is [seat]. Players have bid in
        the order of the seats `in_turn`."""
        if not query:
            return
        turns = [turn_at(history, place) for place in range(len(history) + 1)]
        seats = [in_turn[turn % len(in_turn)] for turn in turns]
        asked = [len(history)]
        if self._you is not None and self._you != seats[-1] and self._you in seats:
            asked.append(len(seats) - 1 - seats[::-1].index(self._you))
        for bids in asked:
            hand = hands[seats[bids]]
            if hand is not None:
                self._question(query, seats[bids], history[:bids], tuple(hand))

    def _question(self, query: str, seat: int, history: Sequence[Bid], hand: Hand) -> None:
        """Print the command for advice to the player in `seat` after the bids in `history`."""
        after = f' --history "{format_history(history)}"' if history else ""
        command = f"{query}{after} --hand {format_hand(hand)}"
        if seat == self._you:
            text = say("advice on your last decision:")
        else:
            text = say("advice on the last decision of {who}:", who=self.who(seat))
        self._print(Text(text, "dim"))
        self._print(Text(command, "dim"), soft_wrap=True)

    def _show(self, rows: Sequence[TableRow]) -> None:
        """Print a table with numbers right-aligned or, if it is too wide, lines for each row."""
        table = Table(box=None, pad_edge=False)
        for name, value in rows[0].items():
            number = isinstance(value, str) and _NUMBER.fullmatch(value)
            table.add_column(name, justify="right" if number else "left")
        for row in rows:
            table.add_row(*row.values())
        wide = self._console.options.update(max_width=_ENDLESS)
        if Measurement.get(self._console, wide, table).maximum <= self._console.width:
            self._print(table)
            return
        for row in rows:
            parts = [
                Text.assemble(f"{name} " if name else "", value) for name, value in row.items()
            ]
            self._print(Text("  ").join(part for part in parts if part.plain.strip()))

    def _print(self, what: Text | Table, *, soft_wrap: bool = False) -> None:
        self._console.print(what, soft_wrap=soft_wrap)


class Meter:
    """An Onlooker that shows a progress bar of rounds in a `with` block, on a terminal only."""

    def __init__(self, console: Console, rounds: int) -> None:
        columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        disable = not console.is_terminal
        self._bar = Progress(*columns, console=console, transient=True, disable=disable)
        self._task = self._bar.add_task("", total=rounds)

    def __enter__(self) -> Meter:
        self._bar.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._bar.stop()

    def begin(
        self, number: int, starter: int, score: Sequence[int], known: Mapping[int, Hand]
    ) -> None:
        """Show nothing."""

    def act(self, view: View, action: int) -> None:
        """Show nothing."""

    def settle(self, round_: Round, score: Sequence[int]) -> None:
        """Advance the bar by one round."""
        self._bar.advance(self._task)


def _challenges(view: View) -> range:
    """Return how many bids ago the bids were made that the player may challenge now, unless the
    stakes have been doubled."""
    if not view.can_challenge or view.bids[-1].doubled:
        return range(0)
    return challengeable(view.rules, len(view.history))


def _opening(rules: Rules) -> str:
    """Return the rule for opening a round."""
    if rules.bidding.raising is Raising.ONE_MORE:
        return say("you open: bid a count of 1")
    return say("you open: bid a count of at least {count}", count=rules.bidding.first_count)


def _drawn(hand: Hand, width: int) -> list[str]:
    """Return the lines of a drawing of the dice, as many side by side as fit."""
    fit = max(1, (width + 1) // _DIE_WIDTH)
    rows = []
    for first in range(0, len(hand), fit):
        dice = [_die(face) for face in hand[first : first + fit]]
        rows += [" ".join(parts) for parts in zip(*dice, strict=True)]
    return rows


def _die(face: int) -> list[str]:
    pips = _PIPS[face]
    middle = [f"│{' '.join(pips[place : place + 3])}│" for place in (0, 3, 6)]
    return ["┌─────┐", *middle, f"└──{face}──┘"]


def _actions(advice: Advice, stakes: Stakes | None) -> list[TableRow]:
    """Return rows for the actions that the policy plays, the best others, and all challenges."""
    shown = [
        action
        for place, action in enumerate(advice.ranked)
        if action.probability >= _SHOWN or place < _FEW or action.action.startswith(CHALLENGE)
    ]
    return [
        {
            say("action"): say_action(action.action),
            say("probability"): f"{action.probability:.1%}",
            **worth(action, stakes),
        }
        for action in shown
    ]

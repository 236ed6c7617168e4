"""CFR of players who remember only the last bid, against every deal and every line of play."""

from collections.abc import Iterator
from itertools import product
from math import prod

import numpy as np
import pytest

from tests.solver.kernels import in_both_ways
from tests.solver.twins.exact_twin import History, challenge_pays
from zhaifei.game.bids import Bid, action_of, domain, legal_bids
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hands, probabilities
from zhaifei.game.notation import parse_bid
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.research import single_bid
from zhaifei.policies.research.single_bid import LEAST_PLAYED, SingleBidCFR
from zhaifei.solver.cfr.exact import ExactSolver
from zhaifei.solver.response.table_search import best_response
from zhaifei.solver.tables.rows import rows_at
from zhaifei.solver.tables.strategy_table import dense

ONE_DIE = Rules.of(dice=1, faces=3)
TWO_DICE = Rules.of(dice=2, faces=2)  # 斋2 may not open, and follows 飞3
SMALL = [ONE_DIE, TWO_DICE, preset("liars_dice", faces=3)]
any_rules = pytest.mark.parametrize("rules", SMALL, ids=["one die", "two dice", "liar's dice"])
both_ways = in_both_ways(single_bid)


def trained(rules: Rules, passes: int) -> SingleBidCFR:
    solver = SingleBidCFR(rules)
    while solver.passes < passes:
        solver.advance()
    return solver


def everything(solver: SingleBidCFR) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in solver.state().items()}


# The game once more, from the rules


class Twin:
    """How one strategy [decision, action, hand] plays against itself. With `imagined`, rounds open
    as by the imaginary opener."""

    def __init__(self, rules: Rules, strategy: np.ndarray, imagined: bool = False) -> None:
        self.rules, self.strategy, self.imagined = rules, strategy, imagined

    def decision(self, history: History) -> int:
        if history:
            return action_of(self.rules, history[-1]) + 1
        return -1 if self.imagined else 0

    def action(self, move: Bid | None) -> int:
        return len(domain(self.rules)) if move is None else action_of(self.rules, move)

    def raises(self, history: History) -> list[Bid]:
        if history:
            legal = legal_bids(self.rules, history[-1])
            return [bid for bid in legal if bid.mode == history[-1].mode]
        openings = list(legal_bids(self.rules, None))
        if self.imagined:
            return list(domain(self.rules)[action_of(self.rules, openings[0]) :])
        return openings

    def histories(self, history: History = ()) -> Iterator[History]:
        yield history
        for bid in self.raises(history):
            yield from self.histories((*history, bid))

    def share(self, history: History, move: Bid | None, hand: int) -> float:
        return float(self.strategy[self.decision(history), self.action(move), hand])

    def reach(self, history: History, seat: int, hand: int) -> float:
        """How likely `hand` makes the bids of `seat`."""
        turns = range(seat, len(history), 2)
        return prod(self.share(history[:turn], history[turn], hand) for turn in turns)

    def earned(
        self, history: History, mover: int, other: int
    ) -> Iterator[tuple[Bid | None, float]]:
        """What each action earns the mover, if both go on like this."""
        held = hands(self.rules)
        if history:
            turn = len(history) % 2
            yield None, challenge_pays(self.rules, history, turn, held[mover], held[other])
        for bid in self.raises(history):
            yield bid, -self.worth((*history, bid), other, mover)

    def worth(self, history: History, mover: int, other: int) -> float:
        found = self.earned(history, mover, other)
        return sum(self.share(history, move, mover) * pays for move, pays in found)


@any_rules
def test_a_pass_weighs_each_line_of_play_by_the_bids_of_both(rules, both_ways) -> None:
    play, rng = single_bid.new_play(rules), np.random.default_rng(0)
    drawn = rng.exponential(size=play.strategy.shape) * play.legal[:, :, np.newaxis]
    drawn[(rng.random(drawn.shape) < 0.3) & (drawn < drawn.max(axis=1, keepdims=True))] = 0.0
    play.strategy[:] = drawn / drawn.sum(axis=1, keepdims=True)
    single_bid.spread(play)
    single_bid.settle(play)
    real, imaginary = Twin(rules, play.strategy), Twin(rules, play.strategy, imagined=True)
    cases = [(real, history) for history in real.histories()]
    made = {history[-1] for _, history in cases if history}
    never_made = [bid for bid in imaginary.raises(()) if bid not in made]
    assert bool(never_made) == (rules == TWO_DICE)
    cases += [(imaginary, ()), *((imaginary, (bid,)) for bid in never_made)]
    gain, likely = np.zeros(play.gain.shape), np.zeros(play.likely.shape)
    for twin, history in cases:
        decision, turn = twin.decision(history), len(history) % 2
        for mover, other in product(range(len(hands(rules))), repeat=2):
            chance = probabilities(rules)[other] * twin.reach(history, 1 - turn, other)
            chance *= twin.reach(history, turn, mover)
            likely[decision, mover] += chance
            for move, pays in twin.earned(history, mover, other):
                gain[decision, twin.action(move), mover] += chance * pays
    np.testing.assert_allclose(play.likely, likely, atol=1e-5)
    np.testing.assert_allclose(play.gain, gain, atol=1e-5)


def test_regrets_are_matched_and_averages_weighed_by_how_likely_decisions_come_up(
    both_ways,
) -> None:
    play, rng = single_bid.new_play(TWO_DICE), np.random.default_rng(0)
    legal = play.legal[:, :, np.newaxis]
    play.gain[:] = rng.normal(size=play.gain.shape) * legal
    play.likely[:] = rng.random(play.likely.shape)
    regret, average = rng.exponential(size=(2, *play.gain.shape)).astype(np.float32) * legal
    regret[2] = 0.0
    play.gain[2] = 0.0  # so that nothing is regretted
    before, averaged, played = regret.copy(), average.copy(), play.strategy.copy()
    single_bid.improve(play, regret, average, 9.0)
    earned = (played * play.gain).sum(axis=1, keepdims=True)
    expected = np.maximum(before + play.gain - earned, 0.0) * legal
    np.testing.assert_allclose(regret, expected, atol=1e-5)
    added = 9.0 * play.likely[:, np.newaxis] * played
    np.testing.assert_allclose(average - averaged, added, atol=1e-4)
    total = regret.sum(axis=1, keepdims=True)
    matched = regret / np.where(total > 0.0, total, 1.0)
    matched[2, -1] = 1.0
    np.testing.assert_allclose(play.strategy, matched, atol=1e-5)


# Convergence: best responses of who forgets, found by trying every pure strategy


def best_forgetful(twin: Twin) -> float:
    """What is earned at best against `twin` by who remembers only the last bid and keeps to its
    mode, on average over both seats. The modes have nothing in common but the opening."""
    prior, total = probabilities(twin.rules), 0.0
    for hand in range(len(prior)):
        openings, answered = [], 0.0
        for mode in twin.rules.bidding.modes:
            bids = [bid for bid in twin.raises(()) if bid.mode == mode]
            plans = product(*([None, *twin.raises((bid,))] for bid in bids))
            tried = [earns(twin, dict(zip(bids, plan, strict=True)), hand) for plan in plans]
            best_opening, best_answers = np.max(tried, axis=0)
            openings.append(best_opening)
            answered += best_answers
        total += prior[hand] * (max(openings) + answered) / 2.0
    return total


def earns(twin: Twin, answers: dict[Bid, Bid | None], hand: int) -> tuple[float, float]:
    """What `hand` earns with these answers, by its best opening among the bids that have one; and
    as responder, where the other opens with one of them."""
    held, prior = hands(twin.rules), probabilities(twin.rules)

    def challenges(bid: Bid, player: int) -> np.ndarray:
        """[other hand] of player 0's bid, what `player` with `hand` gets."""
        pays = [challenge_pays(twin.rules, (bid,), player, held[hand], other) for other in held]
        return np.array(pays, dtype=np.float64)

    theirs: dict[Bid, np.ndarray] = {}
    """[other hand] what is earned after a bid of the other's,"""
    own: dict[Bid, np.ndarray] = {}
    """and after an own bid."""
    for bid, answer in reversed(answers.items()):
        theirs[bid] = challenges(bid, 1) if answer is None else own[answer]
        shares = twin.strategy[twin.decision((bid,))]
        own[bid] = shares[-1] * challenges(bid, 0)
        for reply in twin.raises((bid,)):
            own[bid] += shares[twin.action(reply)] * theirs[reply]
    came = {bid: prior * twin.strategy[0, twin.action(bid)] for bid in answers}
    return max(prior @ own[bid] for bid in answers), sum(came[bid] @ theirs[bid] for bid in answers)


def written(rules: Rules, solver: SingleBidCFR) -> np.ndarray:
    """[decision, action, hand] the average strategy."""
    table, result = solver.strategy(), np.zeros_like(solver.play.strategy)
    for decision, context in enumerate(table.context):
        assert context == decision
        rows = slice(table.first_row[decision], table.end_row[decision])
        result[decision, table.action[rows]] = rows_at(table, decision)
    return result


@any_rules
def test_who_forgets_as_well_gains_next_to_nothing(rules) -> None:
    strategy = written(rules, trained(rules, 300))
    assert -1e-6 <= best_forgetful(Twin(rules, strategy)) < 0.015


@pytest.mark.parametrize("sizes", [(1, 3), (2, 3)])
def test_where_the_last_bid_tells_all_play_becomes_optimal(sizes: tuple[int, int]) -> None:
    rules = preset("basic", dice=sizes[0], faces=sizes[1])
    exact, solver = ExactSolver(rules, predictive=True), trained(rules, 3000)
    exact.run(1000)
    assert solver.value == pytest.approx(exact.value(), abs=1e-3)
    assert best_response(solver.play.bids, solver.strategy()).exploitability.upper < 0.01


# The strategy and the state


def test_every_bid_that_can_be_made_has_an_answer_of_its_own_mode() -> None:
    solver = trained(TWO_DICE, 30)
    strategy, bids = written(TWO_DICE, solver), domain(TWO_DICE)
    np.testing.assert_allclose(strategy[:-1].sum(axis=1), 1.0, atol=1e-6)
    for decision, last in enumerate(bids, start=1):
        raises = {bids[action] for action in np.flatnonzero(strategy[decision, :-1].any(axis=1))}
        assert raises <= set(legal_bids(TWO_DICE, last))
        assert all(bid.mode == last.mode for bid in raises)
    opened = [bids[action] for action in np.flatnonzero(strategy[0].any(axis=1))]
    assert set(opened) <= set(legal_bids(TWO_DICE, None))


def test_what_comes_up_only_by_switching_is_answered_as_if_it_had_opened() -> None:
    rules = Rules.of(dice=2, faces=3)
    solver = trained(rules, 300)
    strategy, bid = written(rules, solver), parse_bid("斋2×3")
    assert bid in legal_bids(rules, parse_bid("飞3×3"))
    assert bid not in legal_bids(rules, None)
    assert bid.mode is Mode.ZHAI
    imagined = solver.play.strategy[-1, action_of(rules, bid)]
    assert imagined.any()
    # Some believe it, with dice of that face themselves, and some do not.
    challenges = strategy[action_of(rules, bid) + 1, -1]
    own = [hand.count(3) for hand in hands(rules)]
    assert challenges[own.index(0)] > 0.5 > challenges[own.index(2)]


def test_what_is_hardly_ever_played_is_left_out() -> None:
    shares = written(ONE_DIE, trained(ONE_DIE, 30))
    assert shares[shares > 0.0].min() > LEAST_PLAYED / 2
    assert not dense(SingleBidCFR(ONE_DIE).strategy())[:, 0].min() < 1.0


def test_training_goes_on_from_its_state_bit_for_bit() -> None:
    solver = trained(ONE_DIE, 20)
    resumed = SingleBidCFR(ONE_DIE)
    resumed.restore({name: array.copy() for name, array in solver.state().items()})
    assert resumed.value == solver.value
    for _ in range(20):
        solver.advance()
        resumed.advance()
    assert everything(resumed) == everything(solver)


def test_more_than_two_players_are_refused() -> None:
    with pytest.raises(ZhaifeiError, match="for two players; these rules are for 3"):
        SingleBidCFR(Rules.of(players=3, dice=1))

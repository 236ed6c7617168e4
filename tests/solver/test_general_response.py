from functools import lru_cache, partial, reduce
from itertools import pairwise

import measured
import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy as openspiel_policy
from open_spiel.python.algorithms import exploitability

import game.openspiel  # noqa: F401  registers python_zhaifei
from game.bids import (
    action_count,
    challenge_action,
    challengeable,
    counts_for,
    domain,
    legal_bids,
)
from game.errors import ZhaifeiError
from game.hands import hands, probabilities
from game.rules import Rules, preset
from game.tables import bid_tables
from solver import general_response as module
from solver.best_response import best_response
from solver.bounds import Bounds
from solver.general_response import (
    GeneralResponseError,
    Search,
    best_response_in,
    refine_general,
)
from solver.strategies import IllegalStrategy

CUTS = [1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 1e-4, 1e-6, 0.0]
VARIANTS = {
    "2 faces": ("zhaifei", 2, 1, 2),
    "3 faces": ("zhaifei", 2, 1, 3),
    "2 dice": ("basic", 2, 2, 3),
    "liar's dice": ("liars_dice", 2, 1, 4),
    "3 players": ("zhaifei", 3, 1, 2),
    "3 players, basic": ("basic", 3, 1, 3),
    "3 players, liar's dice": ("liars_dice", 3, 1, 2),
    "4 players": ("liars_dice", 4, 1, 2),
    "3 players, jump": ("zhaifei", 3, 1, 2),
    "4 players, jump": ("liars_dice", 4, 1, 2),
}
"""The preset, players, dice and faces; where `jump` is in the name, with 跳开."""
MANY = [variant for variant in VARIANTS if "players" in variant]
KINDS = ["random", "sparse", "pure", "uniform", "looks back", "net"]

any_variant = pytest.mark.parametrize("variant", VARIANTS)
any_kind = pytest.mark.parametrize("kind", KINDS)


def rules_of(variant: str) -> Rules:
    name, players, dice, faces = VARIANTS[variant]
    jump = "jump" in variant
    return preset(name, players=players, dice=dice, faces=faces, jump_challenge=jump)


# Policies: none of them is a table, all of them depend on more than a few bids


def legal_actions(rules: Rules, history: tuple[int, ...]) -> list[int]:
    bids = domain(rules)
    raises = legal_bids(rules, bids[history[-1]] if history else None)
    challenges = [
        challenge_action(rules, distance) for distance in challengeable(rules, len(history))
    ]
    return [bids.index(bid) for bid in raises] + challenges


def drawn(rules: Rules, history: tuple[int, ...], kind: str, seed: int) -> np.ndarray:
    """[hand, legal action] drawn anew for every history."""
    rng = np.random.default_rng([seed, *history])
    actions, number = len(legal_actions(rules, history)), len(hands(rules))
    if kind == "uniform":
        return np.full((number, actions), 1 / actions)
    if kind == "pure":
        return np.eye(actions)[rng.integers(actions, size=number)]
    played = rng.dirichlet(np.full(actions, 0.4 if kind == "sparse" else 1.0), size=number)
    if kind == "sparse":
        played[played < 0.2 * played.max(axis=1, keepdims=True)] = 0.0
    return played / played.sum(axis=1, keepdims=True)


def looks_back(rules: Rules, history: tuple[int, ...]) -> np.ndarray:
    """[hand, legal action] a rule that goes by the first bid and by how often hands and bids agree:
    no few last bids tell what it does."""
    bids, held = domain(rules), hands(rules)
    actions = legal_actions(rules, history)
    played = np.zeros((len(held), len(actions)))
    for place, hand in enumerate(held):
        agreed = sum(bids[bid].face in hand for bid in history)
        wanted = agreed + (history[0] if history else 0) + len(set(hand))
        played[place, wanted % len(actions)] += 0.75
        played[place, -1 if agreed % 2 else 0] += 0.25
    return played


def net(rules: Rules, history: tuple[int, ...], seed: int) -> np.ndarray:
    """[hand, legal action] a network with one hidden layer, in float32: it sees the dice of each
    face, all bids that were made, and how many."""
    rng = np.random.default_rng(seed)
    bids, held = domain(rules), hands(rules)
    made = np.isin(np.arange(len(bids)), history).astype(np.float32)
    dice = [[hand.count(face + 1) for face in range(rules.faces)] for hand in held]
    seen = np.array([[*of_hand, *made, len(history)] for of_hand in dice], dtype=np.float32)
    inner = rng.normal(size=(seen.shape[1], 16)).astype(np.float32)
    outer = rng.normal(size=(16, action_count(rules))).astype(np.float32)
    logits = (np.tanh(seen @ inner) @ outer)[:, legal_actions(rules, history)]
    shares = np.exp(logits - logits.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


class Policy:
    """A policy that notes what it is asked for, batch by batch."""

    def __init__(self, rules: Rules, kind: str, seed: int = 0) -> None:
        self.rules = rules
        self.tables = bid_tables(self.rules)
        self.asked: list[list[tuple[int, ...]]] = []
        self.played = {
            "looks back": partial(looks_back, self.rules),
            "net": lambda history: net(self.rules, history, seed),
        }.get(kind, lambda history: drawn(self.rules, history, kind, seed))

    def strategy(self, history: tuple[int, ...]) -> np.ndarray:
        """[hand, action]"""
        result = np.zeros((len(hands(self.rules)), action_count(self.rules)))
        result[:, legal_actions(self.rules, history)] = self.played(history)
        return result

    def __call__(self, histories):
        self.asked.append(list(histories))
        return [self.strategy(history) for history in histories]


def policy_of(variant: str, kind: str, seed: int = 0) -> Policy:
    return Policy(rules_of(variant), kind, seed)


def strategies_of(case: measured.Case):
    """A table, as any policy is asked."""
    return lambda histories: [measured.strategy_at(case, history) for history in histories]


# What they are measured against: every deal of hands, no ranges, no cuts


@lru_cache
def counted(rules: Rules, bid: int) -> np.ndarray:
    """[hand of seat 0, hand of seat 1, ...] how many dice on the table count towards the bid."""
    bid_ = domain(rules)[bid]
    one = np.array([sum(counts_for(rules, bid_, die) for die in hand) for hand in hands(rules)])
    return reduce(np.add.outer, [one] * rules.players)


def loser(rules: Rules, history: tuple[int, ...], distance: int) -> np.ndarray:
    """[hand of seat 0, ...] who loses if the player in turn challenges the bid made so many bids
    ago."""
    bid = history[-distance]
    is_true = counted(rules, bid) >= domain(rules)[bid].count
    challenger = len(history) % rules.players
    return np.where(is_true, challenger, (challenger - distance) % rules.players)


def slow_value(
    tested: Policy, seat: int, history: tuple[int, ...], deals: np.ndarray
) -> np.ndarray:
    """[own hand] what a best response earns; `deals` [hand of seat 0, ...] is the probability of
    the deal and of the others' bids with it."""
    rules, mover = tested.rules, len(history) % tested.rules.players
    others = tuple(axis for axis in range(rules.players) if axis != seat)
    played = tested.strategy(history)
    played = played / played.sum(axis=1, keepdims=True)
    values = []
    for action in legal_actions(rules, history):
        part = deals
        if mover != seat:
            shape = [-1 if axis == mover else 1 for axis in range(rules.players)]
            part = deals * played[:, action].reshape(shape)
        if action >= len(domain(rules)):
            distance = action - len(domain(rules)) + 1
            lost = loser(rules, history, distance) == seat
            earned = distance * np.where(lost, -1.0, 1 / (rules.players - 1))
            values.append((part * earned).sum(axis=others))
        elif part.any():
            values.append(slow_value(tested, seat, (*history, action), part))
    return np.max(values, axis=0) if mover == seat else np.sum(values, axis=0)


@lru_cache
def exact_values(variant: str, kind: str, seed: int = 0) -> list[float]:
    """[seat] what a best response earns there."""
    tested = policy_of(variant, kind, seed)
    deals = reduce(np.multiply.outer, [probabilities(tested.rules)] * tested.rules.players)
    seats = range(tested.rules.players)
    return [float(slow_value(tested, seat, (), deals).sum()) for seat in seats]


def written_out(game_: pyspiel.Game, tested: Policy) -> openspiel_policy.TabularPolicy:
    """The policy for OpenSpiel, with every information state."""
    table, todo = openspiel_policy.TabularPolicy(game_), [game_.new_initial_state()]
    while todo:
        state = todo.pop()
        todo += [state.child(action) for action in state.legal_actions()]
        if state.is_chance_node() or state.is_terminal():
            continue
        hand = state.history()[state.current_player()]
        strategy = tested.strategy(tuple(state.history()[tested.rules.players :]))[hand]
        # What does not add up exactly is divided by its sum here too.
        table.policy_for_key(state.information_state_string())[:] = strategy / strategy.sum()
    return table


@lru_cache
def openspiel_game(variant: str) -> pyspiel.Game:
    name, players, dice, faces = VARIANTS[variant]
    sizes = f"players={players},dice={dice},faces={faces}"
    jump = ",jump_challenge=true" if "jump" in variant else ""
    return pyspiel.load_game(f"python_zhaifei(rules={name},{sizes}{jump})")


def openspiel_values(variant: str, tested: Policy) -> list[float]:
    """[seat] what a best response earns, by OpenSpiel."""
    game_ = openspiel_game(variant)
    table = openspiel_policy.python_policy_to_pyspiel_policy(written_out(game_, tested))
    root, seats = game_.new_initial_state(), range(tested.rules.players)
    return [pyspiel.TabularBestResponse(game_, s, table).value_from_state(root) for s in seats]


def inside(value: float, bounds: Bounds) -> bool:
    # Both sides round, and ours answers for its own only.
    return bounds.lower - 1e-12 <= value <= bounds.upper + 1e-12


def close(value: float, bounds: Bounds) -> bool:
    """Whether the bounds are the value, and nothing but rounding is left open."""
    return inside(value, bounds) and bounds.gap < 1e-9


def swept(tested: Policy, cut: float) -> list[Bounds]:
    seats = range(tested.rules.players)
    return [best_response_in(tested.tables, seat, tested, cut) for seat in seats]


# Exactness


@any_kind
@any_variant
def test_without_a_cut_both_bounds_are_the_value(variant, kind):
    for value, bounds in zip(
        exact_values(variant, kind), swept(policy_of(variant, kind), 0.0), strict=True
    ):
        assert close(value, bounds)


@any_variant
def test_the_values_are_those_of_openspiel(variant):
    tested = policy_of(variant, "looks back")
    for value, bounds in zip(openspiel_values(variant, tested), swept(tested, 0.0), strict=True):
        assert close(value, bounds)


@pytest.mark.parametrize("variant", ["2 faces", "3 players", "3 players, jump", "4 players, jump"])
def test_the_sum_over_seats_is_the_nash_conv_of_openspiel(variant):
    tested = policy_of(variant, "random")
    *_, result = refine_general(tested.tables, tested)
    game_ = openspiel_game(variant)
    theirs = exploitability.nash_conv(game_, written_out(game_, tested))
    assert close(theirs, result.nash_conv)


# Certificates


@any_kind
@any_variant
def test_at_every_cut_the_intervals_hold_the_exact_values(variant, kind):
    exact, gaps = exact_values(variant, kind), []
    for cut in CUTS:
        seats = swept(policy_of(variant, kind), cut)
        for value, bounds in zip(exact, seats, strict=True):
            assert inside(value, bounds), cut
        gaps.append(sum(bounds.gap for bounds in seats))
    assert gaps[0] > 0.1  # Otherwise nothing was cut, and nothing tested.


@any_kind
@any_variant
def test_refining_only_narrows_the_intervals_and_ends_with_the_exact_values(variant, kind):
    exact, tested = exact_values(variant, kind), policy_of(variant, kind)
    results = list(refine_general(tested.tables, tested))
    for result in results:
        for value, bounds in zip(exact, result.seats, strict=True):
            assert inside(value, bounds), result.cut
    for before, after in pairwise(results):
        for wide, narrow in zip(before.seats, after.seats, strict=True):
            assert wide.lower <= narrow.lower <= narrow.upper <= wide.upper
        assert before.cut > after.cut
        assert before.nodes <= after.nodes
        assert before.calls <= after.calls
    assert results[-1].exact


@any_variant
def test_bounds_that_are_not_kept_cost_time_and_nothing_else(variant, monkeypatch):
    exact, tested = exact_values(variant, "random"), policy_of(variant, "random")
    *_, kept = refine_general(tested.tables, tested)
    monkeypatch.setattr(module, "KNOWN_BYTES", 0)
    *_, result = refine_general(tested.tables, tested)
    assert result.exact
    assert result.nodes > kept.nodes
    assert all(inside(value, bounds) for value, bounds in zip(exact, result.seats, strict=True))


def test_refining_stops_at_the_gap_that_is_asked_for():
    tested = policy_of("3 players, basic", "random")
    results = list(refine_general(tested.tables, tested, gap=0.05))
    assert results[-1].exploitability.gap <= 0.05 < results[0].exploitability.gap
    assert all(result.exploitability.gap > 0.05 for result in results[:-1])
    assert not results[-1].exact


# Deadlines


class Clock:
    """Stands still but for the policy, which takes a second for every batch."""

    def __init__(self, tested: Policy) -> None:
        self.tested, self.now = tested, 0.0

    def monotonic(self) -> float:
        return self.now

    def __call__(self, histories):
        self.now += 1.0
        return self.tested(histories)


@any_kind
@any_variant
def test_a_search_that_runs_out_of_time_keeps_its_bounds(variant, kind, monkeypatch):
    exact, open_ = exact_values(variant, kind), []
    for seconds in (0, 1, 2, 3, 5, 10, 20, 30):
        clock = Clock(policy_of(variant, kind))
        monkeypatch.setattr(module.time, "monotonic", clock.monotonic)
        *_, result = refine_general(clock.tested.tables, clock, seconds=seconds)
        # Shares are fractions of seconds: what is asked in the last one counts for each seat.
        assert clock.now <= seconds + len(exact)
        for value, bounds in zip(exact, result.seats, strict=True):
            assert inside(value, bounds), seconds
        open_.append(result.nash_conv.gap)
    players, furthest = len(exact), rules_of(variant).furthest_challenge
    assert open_[0] == pytest.approx(players * furthest * (1 + 1 / (players - 1)))
    assert open_[-1] < open_[0]


def test_without_time_nobody_is_asked():
    tested = policy_of("3 players", "random")
    (result,) = refine_general(tested.tables, tested, seconds=0.0)
    assert tested.asked == []
    assert (result.calls, result.nodes) == (0, 0)


@pytest.mark.parametrize("variant", ["3 faces", "3 players"])
def test_every_seat_gets_its_share_of_the_time(variant, monkeypatch):
    """Each seat alone would take longer than that."""
    clock = Clock(policy_of(variant, "uniform"))
    monkeypatch.setattr(module.time, "monotonic", clock.monotonic)
    monkeypatch.setattr(module, "COARSEST", 1e-6)
    players = clock.tested.rules.players
    *_, result = refine_general(clock.tested.tables, clock, seconds=4 * players)
    for bounds in result.seats:
        assert bounds.gap < 1 + 1 / (players - 1) - 0.05


# What policies are asked


@any_kind
@any_variant
def test_a_sweep_asks_at_most_once_and_only_where_the_policy_decides(variant, kind):
    tested = policy_of(variant, kind)
    players, bids = tested.rules.players, len(domain(tested.rules))
    for seat in range(players):
        tested.asked.clear()
        best_response_in(tested.tables, seat, tested)
        asked = [history for batch in tested.asked for history in batch]
        assert len(asked) == len(set(asked))
        for history in asked:
            assert len(history) % players != seat
            assert legal_actions(tested.rules, history) != [bids]
            for length in range(len(history)):  # All that others did has some probability.
                if length % players != seat:
                    played = tested.strategy(history[:length])
                    assert played[:, history[length]].any()


@any_variant
def test_all_raises_of_the_responder_are_asked_for_at_once(variant):
    tested = policy_of(variant, "random")
    best_response_in(tested.tables, 0, tested)
    for batch in tested.asked:
        (before,) = {history[:-1] for history in batch}
        if len(before) % tested.rules.players == 0:
            raises = [
                a for a in legal_actions(tested.rules, before) if a < len(domain(tested.rules))
            ]
            open_ = [
                (*before, a) for a in raises if len(legal_actions(tested.rules, (*before, a))) > 1
            ]
            assert batch == open_


def test_calls_and_nodes_are_counted():
    tested = policy_of("3 players", "random")
    *_, result = refine_general(tested.tables, tested)
    assert result.calls == sum(len(batch) for batch in tested.asked)
    # Every history opened where the responder moves is one batch; so are others' turns.
    assert 0 < result.nodes < len(tested.asked)


@pytest.mark.parametrize(
    ("variant", "kind", "nodes", "calls"),
    [
        ("3 faces", "random", 89, 184),
        ("3 faces", "sparse", 37, 111),
        ("liar's dice", "random", 82, 110),
        ("3 players", "random", 141, 319),
        ("3 players", "sparse", 56, 176),
        ("4 players", "random", 72, 203),
    ],
)
def test_no_more_is_opened_than_is_needed(variant, kind, nodes, calls):
    """Counts of a search that leaves out all it can; one that leaves out less has higher ones."""
    tested = policy_of(variant, kind)
    searches = [Search(tested.tables, seat, tested) for seat in range(tested.rules.players)]
    for search in searches:
        search.sweep(0.0)
    assert sum(search.nodes for search in searches) <= nodes
    assert sum(search.calls for search in searches) <= calls


@pytest.mark.parametrize("kind", measured.KINDS)
@pytest.mark.parametrize("variant", measured.VARIANTS)
def test_no_more_is_opened_than_by_the_search_for_tables(variant, kind):
    case = measured.case(variant, kind)
    searches = [Search(case.tables, seat, strategies_of(case)) for seat in (0, 1)]
    for search in searches:
        search.sweep(0.0)
    theirs = best_response(case.tables, case.table)
    assert sum(search.nodes for search in searches) <= theirs.nodes


def test_a_raise_that_no_hand_gains_by_is_not_opened():
    """It is asked for what it answers to each bid, and then known to be beaten by one of them."""
    tested = policy_of("2 dice", "pure")
    always = np.zeros_like(tested.strategy((0,)))
    always[:, -1] = 1.0
    opens = tested.strategy(())

    def policy(histories):
        tested(histories)
        return [opens if history == () else always for history in histories]

    best_response_in(tested.tables, 0, policy)
    assert {len(history) for batch in tested.asked for history in batch} == {1}


# Tables, and policies made worse


@pytest.mark.parametrize("kind", measured.KINDS)
@pytest.mark.parametrize("variant", measured.VARIANTS)
def test_tables_get_the_same_values_as_from_the_search_for_tables(variant, kind):
    case = measured.case(variant, kind)
    theirs = best_response(case.tables, case.table)
    for seat, bounds in enumerate(theirs.seats):
        assert close(bounds.lower, best_response_in(case.tables, seat, strategies_of(case)))


def worse(tested: Policy):
    """The policy that now opens with the strongest bid, and challenges whatever it hears."""

    def policy(histories):
        strategies = [np.zeros_like(tested.strategy(history)) for history in histories]
        for history, strategy in zip(histories, strategies, strict=True):
            strategy[:, legal_actions(tested.rules, history)[-1]] = 1.0
        return strategies

    return policy


@pytest.mark.parametrize("variant", ["3 faces", "liar's dice", "3 players", "4 players"])
def test_a_policy_made_worse_is_found_to_be_worse(variant):
    tested = policy_of(variant, "uniform")
    *_, before = refine_general(tested.tables, tested, gap=0.02)
    *_, after = refine_general(tested.tables, worse(tested), gap=0.02)
    assert after.nash_conv.lower > before.nash_conv.upper


def test_who_always_challenges_loses_to_every_sure_bid():
    """One die, liar's dice: a bid of one of the own face is true, whatever the others hold."""
    for variant, faces, share in (("liar's dice", 4, 1.0), ("3 players, liar's dice", 2, 0.5)):
        tested = policy_of(variant, "uniform")
        players = tested.rules.players
        opener, *others = (
            best_response_in(tested.tables, seat, worse(tested)) for seat in range(players)
        )
        assert close(share, opener)
        # The policy opens with a wild face on every die: true once in faces to the players. Seat 1
        # challenges that; seat 2 of 3 only looks on.
        assert close(-(faces**-players) + share * (1 - faces**-players), others[0])
        assert all(close(share, bounds) for bounds in others[1:])


# What is refused


def nan(strategy):
    strategy[0, -1] = np.nan


def negative(strategy):
    strategy[0, -1], strategy[0, -2] = -0.5, 1.5


def illegal(strategy):
    strategy[0] = 0.0
    strategy[0, 0] = 1.0


def short(strategy):
    strategy[0] *= 0.999


@pytest.mark.parametrize("spoil", [nan, negative, illegal, short])
@pytest.mark.parametrize("variant", ["3 faces", "3 players"])
def test_answers_that_are_no_strategies_are_refused(variant, spoil):
    tested, wrong = policy_of(variant, "uniform"), (1, 3)

    def policy(histories):
        strategies = tested(histories)
        for history, strategy in zip(histories, strategies, strict=True):
            if history == wrong:
                spoil(strategy)
        return strategies

    with pytest.raises(IllegalStrategy, match=r"after the bids \[1, 3\]"):
        list(refine_general(tested.tables, policy))
    with pytest.raises(IllegalStrategy, match=r"after the bids \[1, 3\]"):
        best_response_in(tested.tables, 1, policy)


def test_too_few_answers_are_refused():
    tested = policy_of("3 faces", "uniform")
    with pytest.raises(IllegalStrategy, match="gave 0"):
        best_response_in(tested.tables, 0, lambda histories: [])


@pytest.mark.parametrize(("variant", "seat"), [("3 faces", 2), ("3 players", 3), ("3 faces", -1)])
def test_a_seat_where_nobody_sits_is_refused(variant, seat):
    tested = policy_of(variant, "uniform")
    with pytest.raises(GeneralResponseError, match=f"no seat {seat}: ") as caught:
        best_response_in(tested.tables, seat, tested)
    assert isinstance(caught.value, ZhaifeiError)


# The full game


def chance_of(rules: Rules, bid: int) -> np.ndarray:
    """[hand] how likely the bid is true, if nothing is known of the others."""
    own, others = bid_tables(rules).matches[bid], np.array([1.0])
    for _ in range(rules.players - 1):
        others = np.convolve(others, np.bincount(own, probabilities(rules), rules.dice + 1))
    missing = domain(rules)[bid].count - own.astype(int)
    return np.array([others[max(0, count) :].sum() for count in missing])


@pytest.mark.parametrize("players", [2, 3, 6])
def test_who_always_challenges_is_met_with_the_likeliest_opening(players):
    rules = Rules(players=players)
    tested = Policy(rules, "uniform")
    win, openings = 1 / (players - 1), legal_actions(rules, ())
    chance = np.max([chance_of(rules, bid) for bid in openings], axis=0)
    value = probabilities(rules) @ (win * chance - (1 - chance))
    *_, result = refine_general(tested.tables, worse(tested))
    assert close(value, result.seats[0])
    # The strongest bid is never true, and everyone but the policy in seat 0 knows.
    for bounds in result.seats[1:]:
        assert bounds.lower == pytest.approx(win, abs=1e-6)

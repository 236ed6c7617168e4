"""The policy that solves positions again."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from open_spiel.python.algorithms.exploitability import exploitability

from benchmarks._trained import trained
from tests.policies.players.splicing import overlaid, spliced
from tests.policies.resolving_policies import RULES, blueprint, odd_history
from tests.policies.small_policies import random_policy
from tests.solver.dense_tables import with_rows
from zhaifei.game.bids import domain
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import bid_tables
from zhaifei.policies.catalogue.names import load_player, policy_of
from zhaifei.policies.players import resolving as module
from zhaifei.policies.players.openspiel import to_openspiel
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.resolving import Caution, ResolvingPolicy, Standing, resolving
from zhaifei.policies.players.rule_based import rule_based
from zhaifei.policies.players.table_policy import TablePolicy, save_policy
from zhaifei.solver.resolving.subgame import Effort, Solution, solve
from zhaifei.solver.response.full_recall import full_recall_response
from zhaifei.solver.tables.queries import IllegalStrategy
from zhaifei.solver.tables.strategy_table import dense

EFFORT = Effort(gap=2e-4, passes=300)

any_caution = pytest.mark.parametrize("caution", list(Caution))


# Safety

LIMITS = {Caution.CERTIFIED: 0.001, Caution.NORMAL: 0.005}


@pytest.mark.parametrize("caution", LIMITS)
@pytest.mark.parametrize("passes", [8, 200], ids=["weak", "good"])
def test_solving_again_everywhere_does_not_make_a_policy_weaker(
    passes: int, caution: Caution
) -> None:
    plain, tables = blueprint(passes), bid_tables(RULES)
    found = spliced(ResolvingPolicy(plain, caution, EFFORT), 1e-4)
    before = full_recall_response(tables, plain.table).exploitability.upper
    after = full_recall_response(tables, found.table).exploitability.upper
    assert len(found.solved) > 100
    assert after <= before + LIMITS[caution]
    # Written over the policy's own table, what was solved is as strong.
    over = full_recall_response(tables, overlaid(plain, found.solved)).exploitability.upper
    assert over == pytest.approx(after, abs=1e-6)


@pytest.mark.parametrize("caution", LIMITS)
def test_openspiel_finds_a_weak_policy_no_weaker_either(caution: Caution) -> None:
    plain = trained(preset("zhaifei", dice=2, faces=2), 8)
    found = spliced(ResolvingPolicy(plain, caution, EFFORT), 1e-4)
    before, after = (
        exploitability(theirs.game, theirs)
        for theirs in map(to_openspiel, (plain, replace(plain, source=found.table)))
    )
    assert len(found.solved) > 30
    assert before > 0.5
    assert after <= before + LIMITS[caution]
    ours = full_recall_response(bid_tables(plain.rules), found.table).exploitability.upper
    assert after == pytest.approx(ours, abs=1e-7)


# Where it solves, and with what


@any_caution
def test_an_odd_bid_is_solved_and_the_rest_of_the_round_comes_from_there(caution: Caution) -> None:
    policy = ResolvingPolicy(blueprint(200), caution, EFFORT)
    history = odd_history(policy.plain)
    standing = policy.standing(history, 0)
    solution = standing.known.solution
    assert solution is not None
    assert solution.made == history
    assert solution.gap <= EFFORT.gap or solution.passes == EFFORT.passes
    played = policy.played(standing.known, history)
    raises = np.flatnonzero(played[:, : len(domain(RULES))].max(axis=0) > 0.1)
    for bid in raises.tolist():
        assert policy.standing((*history, bid), 0).known is standing.known


@any_caution
def test_what_is_certified_is_solved_more_closely(
    caution: Caution, monkeypatch: pytest.MonkeyPatch
) -> None:
    efforts = []

    def noting(*arguments: Any, **options: Any) -> Iterator[Solution]:
        efforts.append(arguments[-1])
        return solve(*arguments, **options)

    monkeypatch.setattr(module, "solve", noting)
    policy = ResolvingPolicy(blueprint(200), caution, Effort(gap=0.003, passes=20))
    policy.standing(odd_history(policy.plain), 0)
    assert [effort.gap for effort in efforts] == [0.001 if caution is Caution.CERTIFIED else 0.003]


@pytest.mark.parametrize(("room", "shares"), [(1.0, [0.2]), (-1.0, [0.2, 0.0005])])
def test_normal_caution_believes_less_where_it_would_give_too_much(
    room: float, shares: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    believed = []

    def noting(*arguments: Any, **options: Any) -> Iterator[Solution]:
        believed.append(arguments[3].share)
        return solve(*arguments, **options)

    monkeypatch.setattr(module, "solve", noting)
    monkeypatch.setattr(Caution, "room", room)
    policy = ResolvingPolicy(blueprint(200), Caution.NORMAL, Effort(passes=20))
    policy.standing(odd_history(policy.plain), 0)
    assert believed == shares


@pytest.mark.parametrize("caution", [Caution.CERTIFIED, Caution.NORMAL])
def test_where_all_solutions_give_too_much_the_table_or_the_least_is_played(
    caution: Caution, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[tuple[float, Solution | None]] = []

    def given(_: ResolvingPolicy, standing: Standing, *__: Any) -> float:
        found.append(([0.6, 0.5, 0.7][min(len(found), 2)], standing.known.solution))
        return found[-1][0]

    monkeypatch.setattr(ResolvingPolicy, "_given", given)
    policy = ResolvingPolicy(blueprint(200), caution, Effort(gap=0.0, passes=60))
    known = policy.standing(odd_history(policy.plain), 0).known
    assert len(found) > 2
    if caution is Caution.CERTIFIED:
        assert known.solution is None
    else:
        assert known.solution is found[1][1]


def test_half_of_the_time_is_kept_for_believing_less(monkeypatch: pytest.MonkeyPatch) -> None:
    now, believed = iter(range(10**6)), []

    def given(_: ResolvingPolicy, standing: Standing, *__: Any) -> float:
        believed.append(standing.known.believed)
        return 1.0

    policy = ResolvingPolicy(blueprint(200), Caution.NORMAL, Effort(passes=10**4, seconds=40.0))
    history = odd_history(policy.plain)
    monkeypatch.setattr(ResolvingPolicy, "_given", given)
    monkeypatch.setattr("time.monotonic", lambda: float(next(now)))
    policy.standing(history, 0)
    assert {0.2, 0.0005} == set(believed)
    assert believed == sorted(believed, reverse=True)


@any_caution
def test_certified_caution_keeps_the_table_until_a_solution_gives_no_more_than_it_allows(
    caution: Caution,
) -> None:
    hardly = ResolvingPolicy(blueprint(200), caution, Effort(passes=1))
    history = 7, 8  # the weakest raise, which the policy never makes; challenging it is no answer
    known = hardly.standing(history, 0).known
    assert (known.solution is None) == (caution is Caution.CERTIFIED)
    # A hand that would not have bid so has nothing to lose there.
    strange = int(hardly.plain.strategy(())[:, history[0]].argmin())
    assert hardly.standing(history, 0, strange).known.solution is not None
    enough = ResolvingPolicy(blueprint(200), caution, EFFORT)
    assert enough.standing(history, 0).known.solution is not None


def test_where_play_goes_as_the_table_plays_nothing_is_solved() -> None:
    policy = ResolvingPolicy(blueprint(200), effort=EFFORT)
    bids = domain(RULES)
    for history in [(), odd_history(policy.plain)[:1]]:
        assert policy.standing(history, len(history) % 2).known.solution is None
        made = [bids[bid] for bid in history]
        assert policy.strategy(made).tolist() == policy.plain.strategy(made).tolist()


def test_bids_that_are_odd_together_are_solved_though_none_is_by_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What counts is the probability of all that the other has bid, not of the last bid alone."""
    odd = 0.12
    monkeypatch.setattr(module, "ODD", odd)
    policy = ResolvingPolicy(blueprint(200), Caution.NORMAL, Effort(passes=20))
    seat, history, chances = odd_together(policy.plain, odd)
    assert len(chances) > 1
    assert min(chances) > odd > np.prod(chances)
    before = policy.standing(history[:-1], seat)
    assert before.since == pytest.approx(np.prod(chances[:-1]))
    assert before.known.solution is None
    solution = policy.standing(history, seat).known.solution
    assert solution is not None
    assert solution.made == history


def odd_together(plain: TablePolicy, odd: float) -> tuple[int, tuple[int, ...], list[float]]:
    """A seat, bids of a round, and how probable each bid of the other player is, given the bids
    before it: each is more probable than `odd`, and all together are not."""
    bids, prior = domain(RULES), bid_tables(RULES).prior[0]

    def below(
        seat: int, made: tuple[int, ...], ranges: tuple[Any, Any], chances: list[float]
    ) -> Iterator[tuple[int, tuple[int, ...], list[float]]]:
        mover = len(made) % 2
        played = plain.strategy([bids[bid] for bid in made])
        for bid in range(made[-1] + 1 if made else 0, len(bids)):
            held = ranges[mover] * played[:, bid]
            chance = float(held.sum() / ranges[mover].sum())
            if chance < 1.1 * odd:
                continue
            after = (held, ranges[1]) if mover == 0 else (ranges[0], held)
            so_far = chances if mover == seat else [*chances, chance]
            if mover != seat and np.prod(so_far) < 0.9 * odd:
                yield seat, (*made, bid), so_far
            else:
                yield from below(seat, (*made, bid), after, so_far)

    return next(found for seat in (0, 1) for found in below(seat, (), (prior, prior), []))


def test_an_own_odd_bid_has_the_other_player_solve_again() -> None:
    policy = ResolvingPolicy(blueprint(200), effort=EFFORT)
    history = odd_history(policy.plain)
    own = policy.standing(history, 1)
    assert own.known.solution is not None
    assert own.expected.tolist() == own.other.tolist()
    assert (own.shown > 0.0).all(), "no hand is impossible"


def test_a_hand_that_would_not_have_bid_so_is_solved_for() -> None:
    policy = ResolvingPolicy(blueprint(200), effort=EFFORT)
    plain, bids, prior = policy.plain, domain(RULES), bid_tables(RULES).prior[0]
    opening = odd_history(policy.plain)[0]
    answer = int((prior @ plain.strategy([bids[opening]]))[: len(bids)].argmax())
    history = opening, answer
    strange = int(plain.strategy(())[:, opening].argmin())
    usual = int(plain.strategy(())[:, opening].argmax())
    assert plain.strategy(())[strange, opening] < 1e-3
    assert policy.standing(history, 0, usual).known.solution is None
    assert policy.standing(history, 0, strange).known.solution is not None
    assert policy.standing(history, 0).known.solution is None


def test_ranges_are_plausible_and_never_without_a_hand() -> None:
    policy = ResolvingPolicy(blueprint(200), effort=EFFORT)
    opening, bid = odd_history(policy.plain)
    standing, prior = policy.standing((opening, bid), 0), bid_tables(RULES).prior[0]
    for range_ in (standing.own, standing.shown, standing.other, standing.expected):
        assert range_.sum() == pytest.approx(1.0)
    assert (standing.other > 0.0).all()
    # The bidder never bids so: only what the own dice support tells hands apart.
    tremble = module.PlausibleBidding(RULES, module.POWER)
    likely = tremble(np.array([[opening]]), np.array([bid]))[0] * prior
    assert standing.other == pytest.approx(likely / likely.sum())
    # The own range is what the opening was made with, and a little of all others.
    opened = blueprint(200).strategy(())[:, opening] * prior
    assert standing.own == pytest.approx(opened / opened.sum(), abs=1e-3)


def test_equal_questions_have_equal_answers() -> None:
    one, two = (ResolvingPolicy(blueprint(200), effort=EFFORT) for _ in range(2))
    history = [domain(RULES)[bid] for bid in odd_history(one.plain)]
    two.strategy(history[:1])
    assert one.strategy(history).tolist() == two.strategy(history).tolist()


def test_what_is_kept_is_bounded() -> None:
    opening, first = odd_history(blueprint(200))
    histories = [(opening, bid) for bid in range(first, len(domain(RULES)))]
    one = ResolvingPolicy(blueprint(200), effort=Effort(passes=20))
    memory = 3 * one.standing(histories[0], 0).size(histories[0])
    policy = ResolvingPolicy(blueprint(200), effort=Effort(passes=20), memory=memory)
    solved = [policy.standing(history, 0).known for history in histories]
    assert policy.standing(histories[-1], 0).known is solved[-1]
    assert policy.standing(histories[0], 0).known is not solved[0]


def test_policies_that_cannot_be_solved_again() -> None:
    assert resolving(rule_based("honest", RULES)) is None
    three = random_policy(Rules.of(players=3, dice=1, faces=2))
    assert resolving(three) is None
    assert resolving(blueprint(200)) is not None
    with pytest.raises(ZhaifeiError, match="only policies of two players"):
        ResolvingPolicy(three)


# At a table


def test_it_plays_under_a_name_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "small.safetensors"
    save_policy(path, blueprint(200))
    player = load_player(f"{path}+resolve", RULES)
    assert str(player).endswith("+resolve")
    policy = policy_of(player)
    assert isinstance(policy, ResolvingPolicy)
    history, size = odd_history(policy.plain), bid_tables(RULES).hands
    hand, made = np.arange(size), np.tile(np.array(history), (size, 1))
    uniform = np.random.default_rng(3).random(size)
    strategy = policy.strategy([domain(RULES)[bid] for bid in history])
    action = player.act(hand, made, uniform)
    assert (strategy[hand, action] > 0.0).all()
    assert (
        action.tolist() == load_player(f"{path}+resolve", RULES).act(hand, made, uniform).tolist()
    )


def test_the_shipped_policy_needs_no_path() -> None:
    player = load_player("zhaifei-2p+resolve", preset("zhaifei"))
    policy = policy_of(player)
    assert isinstance(policy, ResolvingPolicy)
    assert policy.effort == module.PLAYING
    assert str(player) == "zhaifei-2p+resolve"


@pytest.mark.parametrize("name", ["honest+resolve", "random+resolve", "reader+resolve"])
def test_other_players_do_not_solve_again(name: str) -> None:
    with pytest.raises(ZhaifeiError, match="only policies of two players"):
        load_player(name, RULES)


def test_a_damaged_table_is_not_played() -> None:
    plain = blueprint(200)
    probability = dense(plain.table)
    probability[0, 0] = -1.0
    damaged = replace(plain, source=with_rows(plain.table, probability))
    player = PolicyPlayer(ResolvingPolicy(damaged), "damaged")
    with pytest.raises(IllegalStrategy, match="negative probability"):
        player.act(np.array([0]), np.zeros((1, 0), dtype=np.int64), np.full(1, 0.5))

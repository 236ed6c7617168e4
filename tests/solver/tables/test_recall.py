import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.game.strategies import any_rules
from tests.solver.kernels import in_both_ways
from tests.solver.twins.exact_twin import histories
from zhaifei.game.bids import Bid, domain, strength
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules, preset
from zhaifei.solver.tables import recall
from zhaifei.solver.tables.recall import RecallError, recall_tables

SMALL = [
    preset("zhaifei", dice=1, faces=2),
    preset("liars_dice", faces=4),
    preset("basic", dice=2, faces=3),
    Rules.of(players=3, dice=1, faces=2),
    Rules.of(dice=2, faces=2, zhai_weight=3, first_count=2),
]
"""Up to a thousand histories or so."""
TEXTS = [
    "bid",
    "bid,bid",
    "bid,face",
    "bid,mode",
    "bid,-,bid",
    "bid,bid,face,mode",
    "bid,bid,face<4,face<3",
    "bid,mode<2,-,bid<3",
    "bid,bid<1",
    "bid,bid<99",
    "bid, face , mode<3",
    "full",
    " full ",
]
NO_BID = ("no bid",)

both_ways = in_both_ways(recall)


def remembered(rules: Rules, text: str, history: tuple[Bid, ...]) -> list:
    """What `text` says, read by a person. A feature that is dropped is as if there were no bid."""
    if text.strip() == "full":
        return list(history)
    found = []
    for lag, feature in enumerate(text.replace(" ", "").split(",")):
        name, _, below = feature.partition("<")
        told = NO_BID
        if lag < len(history) and name != "-":
            dropped = below and strength(rules, history[-1])[0] >= int(below)
            bid = history[-1 - lag]
            told = NO_BID if dropped else {"bid": bid, "face": bid.face, "mode": bid.mode}[name]
        found.append(told)
    # How many bids may be challenged. Without 跳开 it is one.
    found.append(max(1, min(len(history), rules.furthest_challenge)))
    return found


def context(rules: Rules, text: str, history: tuple[Bid, ...]) -> int:
    bids = domain(rules)
    # What lies behind the end of the history is not to be read.
    actions = np.array([*map(bids.index, history), len(bids) - 1], dtype=np.int64)
    return recall.context_of(recall_tables(rules, text), actions, len(history))


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("rules", SMALL, ids=str)
def test_contexts_are_equal_exactly_when_what_is_remembered_is(rules, text, both_ways):
    contexts: dict[str, int] = {}
    for history in histories(rules):
        told, packed = repr(remembered(rules, text, history)), context(rules, text, history)
        assert contexts.setdefault(told, packed) == packed, history
    assert len(set(contexts.values())) == len(contexts)


@pytest.mark.parametrize("text", TEXTS)
def test_only_the_start_of_a_round_has_context_0(text):
    for history in histories(SMALL[0]):
        packed = context(SMALL[0], text, history)
        assert packed == 0 if not history else packed > 0


@pytest.mark.parametrize("rules", SMALL, ids=str)
def test_full_recall_tells_all_histories_apart(rules):
    every = list(histories(rules))
    assert len({context(rules, "full", history) for history in every}) == len(every)


@settings(max_examples=50)
@given(any_rules(), st.sampled_from(TEXTS), st.data())
def test_in_any_variant_equal_contexts_mean_equal_memories(rules, text, data):
    try:
        recall_tables(rules, text)
    except RecallError:
        return
    subsets = st.sets(st.sampled_from(domain(rules)), min_size=1, max_size=6)
    one, other = (
        tuple(sorted(data.draw(subsets), key=domain(rules).index)) for _ in range(2)
    )  # whether they are legal does not matter
    same = remembered(rules, text, one) == remembered(rules, text, other)
    assert (context(rules, text, one) == context(rules, text, other)) == same


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is not a recall feature; write 'full', or features bid, face, mode or -"),
        ("bid,,bid", "'' is not a recall feature"),
        ("bid,colour", "'colour' is not a recall feature"),
        ("bid,face<", "'face<' is not a recall feature"),
        ("bid,face<-1", "'face<-1' is not a recall feature"),
        ("bid,face<12345", "'face<12345' is not a recall feature"),
        ("bid,full", "'full' is not a recall feature"),
        ("face,bid", "recall 'face,bid' must begin with 'bid': what is legal depends on it"),
        ("bid<3", "recall 'bid<3' must begin with 'bid'"),
        ("bid" + ",-" * 110, "has 111 features, but no round has more than 110 bids"),
        (",".join(["bid"] * 10), "remembers too much; drop the oldest features"),
    ],
)
def test_texts_that_are_no_recall_are_refused(text, message):
    with pytest.raises(RecallError, match=message):
        recall_tables(preset("zhaifei"), text)


def test_the_longest_recall_that_fits_is_packed_without_overflow():
    # 111 values a bid: nine of them take 61.2 bits.
    rules, text = preset("zhaifei"), ",".join(["bid"] * 9)
    bids = domain(rules)
    packed = {context(rules, text, bids[start : start + 9]) for start in range(len(bids) - 8)}
    assert len(packed) == len(bids) - 8
    assert min(packed) > 0


LARGE = [
    preset("zhaifei"),
    Rules.of(dice=8, faces=5, modes=(Mode.FEI,), first_count=1),
    Rules.of(players=8, dice=9, faces=9),
]
"""More bids than a context has bits."""


def test_full_recall_of_up_to_62_bids_has_a_bit_for_each():
    rules = Rules.of(dice=5, faces=7, modes=(Mode.FEI,), first_count=1)
    bids = domain(rules)
    assert len(bids) == 60
    assert context(rules, "full", bids) == 2**60 - 1
    assert [context(rules, "full", (bid,)) for bid in bids] == [2**place for place in range(60)]


@pytest.mark.parametrize("rules", LARGE, ids=str)
def test_full_recall_of_more_bids_tells_histories_apart(rules):
    recall_, number = recall_tables(rules, "full"), len(domain(rules))
    assert number > 62
    rng, contexts = np.random.default_rng(2), {}
    for length in rng.integers(0, 13, 20_000):
        history = np.sort(rng.choice(number, length, replace=False))
        packed = recall.context_of(recall_, history, length)
        assert contexts.setdefault(packed, history.tolist()) == history.tolist()
        assert packed > 0 or length == 0
    assert len(contexts) > 15_000


@pytest.mark.parametrize("rules", LARGE, ids=str)
def test_full_recall_of_more_bids_forgets_only_their_order(rules):
    bids, rng = domain(rules), np.random.default_rng(3)
    for _ in range(50):
        chosen = rng.permutation(len(bids))[:8]
        ways = {
            context(rules, "full", tuple(bids[b] for b in rng.permutation(chosen)))
            for _ in range(3)
        }
        assert len(ways) == 1


def test_contexts_of_the_longest_history_of_the_full_game_do_not_overflow():
    # Bids of one strength cannot follow each other, and so not all 110 can be made.
    rules, made = preset("zhaifei"), []
    for bid in domain(rules):
        if not made or strength(rules, bid) > strength(rules, made[-1]):
            made.append(bid)
    assert len(made) > 80
    packed = [context(rules, "full", tuple(made[:length])) for length in range(len(made) + 1)]
    assert packed[0] == 0
    assert (np.diff(packed) > 0).all()
    # All codes together still fit, so no sum of them can wrap round.
    assert 0 < sum(int(code) for code in recall_tables(rules, "full").code[0]) < 2**63

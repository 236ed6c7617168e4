import json
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.game.strategies import POINT_PRESETS, any_rules
from zhaifei.game.bids import Bid, Ending, counted, legal_bids, settled_by, state_after
from zhaifei.game.hands import IllegalHand, hands, verify_hand
from zhaifei.game.parts import FeiToZhai, Mode, Raising, RulesError, ZhaiToFei
from zhaifei.game.rules import PRESETS, Rules, preset, preset_name, with_dice


def test_the_full_game_has_five_six_sided_dice_both_modes_and_wild_ones():
    rules = preset("zhaifei")
    assert rules == Rules()
    assert (rules.players, rules.dice, rules.faces) == (2, 5, 6)
    assert rules.bidding.modes == (Mode.FEI, Mode.ZHAI)
    assert (rules.counting.wild, rules.bidding.wild_may_be_named) == (1, False)
    between = rules.bidding.fei_to_zhai, rules.bidding.zhai_to_fei
    assert between == (FeiToZhai.STRENGTH, ZhaiToFei.STRENGTH)


def test_ktv_opens_lower_compares_zhai_as_fei_and_goes_back_for_double():
    rules = preset("ktv")
    opening = {str(bid) for bid in legal_bids(rules, None) if bid.count < 4}
    assert opening >= {"飞3×2", "斋2×2", "斋2×1"}
    assert not opening & {"飞2×6", "斋1×6", "斋1×1"}
    after_fei = {str(bid) for bid in legal_bids(rules, Bid(Mode.FEI, 4, 3))}
    assert after_fei >= {"飞4×4", "斋4×4", "斋4×1", "飞5×2", "斋5×2"}
    assert not after_fei & {"飞4×3", "斋4×3", "斋3×6", "斋3×1"}
    after_zhai = {str(bid) for bid in legal_bids(rules, Bid(Mode.ZHAI, 3, 6))}
    assert after_zhai >= {"斋3×1", "斋4×2", "飞6×2"}
    assert not after_zhai & {"斋3×6", "飞5×6"}
    assert (1, 2, 3, 4, 5) not in hands(rules)
    with pytest.raises(IllegalHand):
        verify_hand(rules, (2, 3, 4, 5, 6))


@pytest.mark.parametrize("players", range(2, 9))
def test_ktv_opens_with_one_more_than_players_or_as_many_zhai(players):
    rules = preset("ktv", players=players)
    assert (rules.bidding.first_count, rules.bidding.first_zhai) == (players + 1, players)


def test_southern_is_ktv_with_doubles_five_alike_and_straights_worth_nothing():
    rules = preset("southern")
    assert rules == preset("ktv").changed(
        straight="nothing", five_alike="one_more", doubled=(2, 4), giving_up="one"
    )
    opening = {str(bid) for bid in legal_bids(rules, None) if bid.count < 4}
    assert opening >= {"飞3×2", "斋2×2", "斋2×1"}
    assert not opening & {"飞2×6", "斋1×6", "斋1×1"}
    assert counted(rules, Bid(Mode.FEI, 3, 5), (1, 2, 3, 4, 5)) == 0
    assert counted(rules, Bid(Mode.FEI, 3, 5), (5,) * 5) == 6
    last = Bid(Mode.FEI, 4, 5)
    assert replace(last, doubled=1) in legal_bids(rules, last)
    twice = replace(last, doubled=2)
    shown, gives_up = (settled_by(rules, (last, twice), ending) for ending in range(2))
    assert (shown, gives_up) == (Ending(1, 4, 4, turned=False), Ending(1, 0, 1, turned=False))


def test_northern_takes_half_as_zhai_ends_fei_with_ones_and_halves_the_stakes_for_giving_up():
    rules = preset("northern")
    opening = {str(bid) for bid in legal_bids(rules, None) if bid.count < 4}
    assert opening >= {"飞3×2", "斋2×2", "斋1×1"}
    assert not opening & {"飞2×6", "斋1×6"}
    after_fei = {str(bid) for bid in legal_bids(rules, Bid(Mode.FEI, 5, 3))}
    assert after_fei >= {"斋3×1", "飞5×4"}
    assert not after_fei & {"斋2×6", "飞5×3"}
    after_zhai = {str(bid) for bid in legal_bids(rules, Bid(Mode.ZHAI, 2, 3))}
    assert after_zhai >= {"飞5×2", "斋2×4"}
    assert not after_zhai & {"飞4×6", "斋2×2"}
    after_ones = legal_bids(rules, *state_after(rules, (Bid(Mode.ZHAI, 2, 1),)))
    assert {bid.mode for bid in after_ones} == {Mode.ZHAI}
    assert counted(rules, Bid(Mode.FEI, 3, 5), (5,) * 5) == 7
    assert counted(rules, Bid(Mode.FEI, 3, 5), (1, 5, 5, 5, 5)) == 6
    last = Bid(Mode.FEI, 4, 5)
    for level, (stakes, given_up) in {1: (2, 1), 2: (4, 2)}.items():
        history = [replace(last, doubled=made) for made in range(level + 1)]
        settled = [settled_by(rules, history, ending) for ending in range(2)]
        assert [one and one.cost for one in settled] == [stakes, given_up]


@pytest.mark.parametrize("name", ["southern", "northern"])
@pytest.mark.parametrize("players", range(2, 9))
def test_on_the_street_all_numbers_of_players_double(name, players):
    rules = preset(name, players=players)
    assert rules.stakes.doubled == (2, 4)
    assert rules.stakes.giving_up == ("one" if name == "southern" else "half")
    fei = players + 1 if name == "southern" else (3 * players + 1) // 2
    assert (rules.bidding.first_count, rules.bidding.first_zhai) == (fei, players)
    assert rules.bidding.first_ones == (0 if name == "southern" else players - 1)


def test_fei_names_2_to_6_and_zhai_1_to_6():
    assert Rules().nameable_faces(Mode.FEI) == [2, 3, 4, 5, 6]
    assert Rules().nameable_faces(Mode.ZHAI) == [1, 2, 3, 4, 5, 6]


def test_liars_dice_may_name_its_wild_six():
    rules = preset("liars_dice")
    assert rules.nameable_faces(Mode.FEI) == [1, 2, 3, 4, 5, 6]
    assert (rules.dice, rules.counting.wild, rules.bidding.first_count) == (1, 6, 1)


@pytest.mark.parametrize("players", range(2, 9))
def test_the_first_count_exceeds_the_number_of_players(players):
    assert Rules.of(players=players).bidding.first_count == players + 1
    assert Rules.of(players=players).total_dice == 5 * players


@pytest.mark.parametrize("name", PRESETS)
def test_small_variants_can_be_opened(name):
    for players, dice, faces in product(range(2, 9), range(1, 5), [2, 3, 6]):
        rules = preset(name, players=players, dice=dice, faces=faces)
        assert legal_bids(rules, None), str(rules)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"players": 1}, "players is 1; it must be 2 to 8"),
        ({"players": 9}, "players is 9; it must be 2 to 8"),
        ({"dice": 0}, "dice is 0; each player has 1 to 9 dice"),
        ({"dice": 10}, "dice is 10; each player has 1 to 9 dice"),
        ({"faces": 1}, "faces is 1; a die has 2 to 9 faces"),
        ({"faces": 10}, "faces is 10; a die has 2 to 9 faces"),
        ({"modes": ()}, "modes is (); it must be 飞, 斋 or both, each once"),
        ({"modes": (Mode.FEI, Mode.FEI)}, "each once"),
        ({"modes": (Mode.ZHAI, Mode.FEI)}, "each once"),
        ({"modes": (5,)}, "modes is (5,); it must be 飞, 斋 or both, each once"),
        ({"modes": 3}, "modes is 3; it must be 飞, 斋 or both, each once"),
        ({"wild": 0}, "wild is 0; it must be a face from 1 to 6"),
        ({"wild": 5, "faces": 4}, "wild is 5; it must be a face from 1 to 4"),
        ({"wild_may_be_named": "yes"}, "wild_may_be_named is 'yes'; it must be true or false"),
        (
            {"first_zhai": -1},
            "first_zhai is -1; it must be 0 to 10",
        ),
        ({"first_ones": 11}, "first_ones is 11; it must be 0 to 10"),
        ({"zhai_to_fei": "triple"}, "zhai_to_fei is 'triple'; it must be one of strength, double"),
        (
            {"zhai_to_fei": "double", "fei_to_zhai": "half"},
            "a 斋 count of 2 follows a 飞 count of 4, and a 飞 count of 4 follows that",
        ),
        (
            {"first_count": -1},
            "first_count is -1; it must be 1 to 10, the number of dice on the table",
        ),
        (
            {"first_count": 11},
            "first_count is 11; it must be 1 to 10, the number of dice on the table",
        ),
        ({"dice": 5.0}, "dice is 5.0; it must be a whole number"),
        ({"players": True}, "players is True; it must be a whole number"),
        ({"faces": "6"}, "faces is '6'; it must be a whole number"),
        ({"jump_challenge": 1}, "jump_challenge is 1; it must be true or false"),
        ({"jump_challenge": "on"}, "jump_challenge is 'on'; it must be true or false"),
        ({"loses_dice": 1}, "loses_dice is 1; it must be true or false"),
        ({"raising": "higher"}, "raising is 'higher'; it must be one of stronger, face_or_count"),
        ({"winner_starts": True}, "winner_starts requires rules in which dice are lost"),
        ({"out_of_turn": True}, "out_of_turn requires rules in which dice are lost"),
        ({"forfeits": True}, "forfeits requires rules in which dice are lost"),
        ({"unbounded": 1}, "unbounded is 1; it must be true or false"),
        (
            {"forced_opening": True, "raising": "one_more", "modes": (Mode.ZHAI,)},
            "forced_opening requires rules in which dice are lost",
        ),
        (
            {"unbounded": True, "raising": "one_more", "modes": (Mode.ZHAI,)},
            "unbounded requires rules in which dice are lost",
        ),
        (
            {"loses_dice": True, "forced_opening": True, "modes": (Mode.ZHAI,)},
            "forced_opening requires 斋 only, and raising one_more",
        ),
        (
            {"loses_dice": True, "unbounded": True, "raising": "one_more"},
            "unbounded requires 斋 only, and raising one_more",
        ),
        (
            {"players": 3, "loses_dice": True, "jump_challenge": True},
            "跳开 requires penalty points",
        ),
        ({"dice": (5, 3.0)}, "dice is (5, 3.0); it must be numbers of dice"),
        ({"dice": (5, 0)}, "dice is 0; each player has 1 to 9 dice"),
        ({"dice": (5, 3, 2)}, "dice is 5,3,2 for 3 players; only two players may have different"),
        ({"players": 3, "dice": (5, 3)}, "2 numbers of dice for 3 players"),
        ({"jokers": 2}, "unknown field of rules: 'jokers'"),
    ],
)
def test_rules_that_describe_no_game_are_refused(fields, message):
    with pytest.raises(RulesError) as error:
        Rules.of(**fields)
    assert message in str(error.value)


def test_in_knockout_the_winner_of_a_round_starts_and_anybody_may_challenge():
    rules = preset("knockout")
    assert (rules.bidding.modes, rules.counting.wild, rules.nameable_faces(Mode.FEI)) == (
        (Mode.FEI,),
        1,
        [2, 3, 4, 5, 6],
    )
    assert rules.bidding.raising is Raising.FACE_OR_COUNT
    assert rules.loses_dice
    assert (rules.stakes.winner_starts, rules.stakes.out_of_turn, rules.stakes.forfeits) == (
        True,
        True,
        True,
    )


def test_in_classic_a_raise_is_higher_in_count_or_as_high_and_of_a_higher_face():
    rules = preset("classic")
    assert (rules.bidding.modes, rules.counting.wild, rules.bidding.raising) == (
        (Mode.FEI,),
        1,
        Raising.STRONGER,
    )
    assert (rules.loses_dice, rules.stakes.winner_starts, rules.stakes.out_of_turn) == (
        True,
        False,
        False,
    )
    after = legal_bids(rules, Bid(Mode.FEI, 3, 4))
    assert [bid for bid in after if bid.count <= 4] == [
        Bid(Mode.FEI, 3, 5),
        Bid(Mode.FEI, 3, 6),
        *(Bid(Mode.FEI, 4, face) for face in range(2, 7)),
    ]
    assert legal_bids(rules, None)[0] == Bid(Mode.FEI, 1, 2)


def test_in_classic_plain_no_face_is_wild_and_ones_may_be_named():
    rules = preset("classic_plain")
    assert rules.changed(modes=(Mode.FEI,)) == preset("classic")
    assert rules.bidding.modes == (Mode.ZHAI,)
    assert legal_bids(rules, None)[0] == Bid(Mode.ZHAI, 1, 1)


def test_two_players_may_have_different_numbers_of_dice():
    rules = preset("zhaifei", dice=(3, 5))
    assert (rules.players, rules.dice, rules.dice_by_player) == (2, 5, (3, 5))
    assert (rules.total_dice, rules.highest_count) == (8, 8)
    assert preset_name(rules) == "zhaifei"
    assert str(rules) == "zhaifei: 2 players, 3 against 5 dice of 6 faces"
    assert rules != preset("zhaifei", dice=(5, 3))
    assert Rules.from_dict(json.loads(json.dumps(rules.to_dict()))) == rules


def test_numbers_of_dice_that_do_not_differ_are_one_number():
    assert preset("zhaifei", dice=(4, 4)) == preset("zhaifei", dice=4)
    assert preset("knockout", dice=(5, 5)) == preset("knockout", players=2)


def test_with_other_dice_a_round_opens_with_the_default_count_if_it_did():
    assert with_dice(preset("zhaifei"), (1, 1)) == preset("zhaifei", dice=1)
    assert with_dice(preset("zhaifei", dice=1), (2, 1)) == preset("zhaifei", dice=(2, 1))
    assert with_dice(Rules.of(first_count=4), (3, 2)).bidding.first_count == 4


def test_in_increment_four_with_six_dice_raise_by_one_and_the_loser_starts():
    rules = preset("increment")
    assert (rules.players, rules.dice, rules.faces) == (4, 6, 6)
    assert (rules.bidding.modes, rules.bidding.raising) == ((Mode.ZHAI,), Raising.ONE_MORE)
    assert rules.loses_dice
    assert (rules.stakes.winner_starts, rules.stakes.out_of_turn, rules.stakes.forfeits) == (
        False,
        False,
        False,
    )


def test_published_is_increment_in_which_the_dice_make_the_first_bid_and_counts_are_unbounded():
    rules = preset("published")
    assert (rules.bidding.forced_opening, rules.bidding.unbounded) == (True, True)
    assert rules.changed(forced_opening=False, unbounded=False) == preset("increment")


def test_counts_go_up_to_the_dice_on_the_table_or_where_they_are_unbounded_to_99():
    assert preset("increment").highest_count == 24
    assert preset("published").highest_count == preset("published", dice=1).highest_count == 99


@pytest.mark.parametrize("name", PRESETS)
def test_presets_in_which_dice_are_lost_are_not_played_for_penalty_points(name):
    if name in POINT_PRESETS:
        preset(name).verify_costs_points()
    else:
        with pytest.raises(RulesError, match=f"{name} is not played for penalty points"):
            preset(name).verify_costs_points()
    assert (name in POINT_PRESETS) == (
        name in ("zhaifei", "ktv", "southern", "northern", "basic", "liars_dice")
    )


@pytest.mark.parametrize("name", PRESETS)
def test_presets_survive_a_file_header(name):
    assert Rules.from_dict(json.loads(json.dumps(preset(name).to_dict()))) == preset(name)


@given(any_rules())
def test_rules_survive_a_file_header(rules):
    assert Rules.from_dict(json.loads(json.dumps(rules.to_dict()))) == rules


def test_a_header_from_before_there_was_jump_challenge_describes_rules_without_it():
    header = Rules.of(players=3).to_dict()
    del header["jump_challenge"]
    assert Rules.from_dict(header) == Rules.of(players=3)


def test_a_header_from_before_dice_made_the_first_bid_describes_rules_in_which_they_do_not():
    header = preset("increment").to_dict()
    del header["forced_opening"], header["unbounded"]
    assert Rules.from_dict(header) == preset("increment")


@pytest.mark.parametrize("players", range(2, 9))
def test_jump_challenge_is_off_by_default_and_reaches_every_other_players_last_bid(players):
    assert not Rules.of(players=players).stakes.jump_challenge
    assert Rules.of(players=players).furthest_challenge == 1
    assert Rules.of(players=players, jump_challenge=True).furthest_challenge == players - 1


@given(any_rules(), st.booleans())
def test_with_two_players_the_switch_stays_off(rules, jump_challenge):
    rules = rules.changed(doubled=(), giving_up="one")
    switched = rules.changed(jump_challenge=jump_challenge)
    assert switched.stakes.jump_challenge == (jump_challenge and rules.players > 2)
    two = rules.changed(players=2, first_count=0, jump_challenge=jump_challenge)
    assert two == rules.changed(players=2, first_count=0)


@pytest.mark.parametrize(
    "values",
    [
        None,
        [],
        {},
        {"modes": "fei"},
        {"modes": ["both"]},
        {"modes": [0]},
        {"modes": None},
        Rules().to_dict() | {"dice": "5"},
        Rules().to_dict() | {"dice": 5.5},
        Rules().to_dict() | {"dice": None},
        Rules().to_dict() | {"jokers": 2},
        Rules().to_dict() | {"idle_count": 3},
        Rules().to_dict() | {"players": 1},
        Rules().to_dict() | {"jump_challenge": 0},
    ],
)
def test_a_header_that_describes_no_rules_is_refused(values):
    with pytest.raises(RulesError):
        Rules.from_dict(values)


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_found_again_by_their_rules(name):
    assert preset_name(preset(name)) == name
    assert preset_name(preset(name, players=4, dice=3, faces=5)) == name


@pytest.mark.parametrize("name", POINT_PRESETS)
def test_presets_with_jump_challenges_are_found_again_too(name):
    if preset(name).stakes.doubled:
        with pytest.raises(RulesError, match="劈 cannot be combined with 跳开"):
            preset(name, players=4, jump_challenge=True)
        return
    assert preset_name(preset(name, players=4, jump_challenge=True)) == name


def test_rules_of_no_preset_have_no_name():
    assert preset_name(Rules.of(wild_may_be_named=True)) is None


def test_a_preset_takes_sizes_and_keeps_the_rest():
    assert preset("basic", players=3) == Rules.of(players=3, modes=(Mode.FEI,))
    assert preset("zhaifei", dice=3, faces=4) == Rules.of(dice=3, faces=4)
    assert preset("liars_dice", dice=2, faces=4).counting.wild == 4
    with_jump = Rules.of(players=3, modes=(Mode.FEI,), jump_challenge=True)
    assert preset("basic", players=3, jump_challenge=True) == with_jump


def test_an_unknown_preset_is_refused_with_the_known_ones():
    with pytest.raises(
        RulesError, match="unknown rules 'dudo'; known rules are zhaifei, ktv, southern, northern"
    ):
        preset("dudo")


def test_rules_are_hashable_and_frozen():
    three = Rules.of(players=3), Rules.of(players=3, jump_challenge=True)
    assert len({Rules(), Rules.of(first_count=3), Rules.of(jump_challenge=True), *three}) == 3
    with pytest.raises(AttributeError):
        Rules().dice = 6

"""What the report measures, with few matches."""

from zhaifei.game.messages import Message
from zhaifei.game.rules import preset
from zhaifei.policies.players.rule_based import NAMES
from zhaifei.policies.research.report_measurements import measure_matches


def test_in_matches_of_two_every_pair_meets_in_both_seats_and_the_shipped_policy_is_last() -> None:
    stages: list[tuple[Message, int, int]] = []
    rules = preset("knockout", players=2)
    found = measure_matches(rules, 4, 0, lambda *stage: stages.append(stage))
    assert [str(one) for one in found.players] == [*NAMES, "knockout-2p"]
    assert found.ours == len(NAMES)
    pairs = len(found.players) * len(NAMES) // 2
    assert found.standings.deals == 2
    assert found.standings.played == 2 * 2 * pairs
    assert all(counts.units == 2 * 2 * len(NAMES) for counts in found.standings.counts)
    every = [(done, 4 * pairs) for done in range(1, 4 * pairs + 1)]
    assert [stage[1:] for stage in stages] == every
    assert found.name == "knockout"

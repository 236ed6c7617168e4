"""What is kept, up to a size."""

import pytest

from zhaifei.policies.players.kept import Kept


@pytest.fixture
def kept() -> Kept[str, int]:
    found: Kept[str, int] = Kept(10)
    for key, value in (("a", 1), ("b", 2), ("c", 3)):
        found.put(key, value, 3)
    return found


def test_what_nobody_has_asked_for_longest_is_forgotten(kept: Kept[str, int]) -> None:
    assert kept.get("a") == 1
    kept.put("d", 4, 3)
    assert [kept.get(key) for key in "abcd"] == [1, None, 3, 4]
    assert kept.size == 9


def test_the_newest_stays_however_large_it_is(kept: Kept[str, int]) -> None:
    kept.put("large", 5, 100)
    assert kept.get("large") == 5
    assert len(kept) == 1
    kept.put("small", 6, 1)
    assert kept.get("large") is None
    assert kept.size == 1


def test_a_value_that_is_replaced_does_not_count(kept: Kept[str, int]) -> None:
    kept.put("a", 7, 4)
    assert kept.get("a") == 7
    assert (len(kept), kept.size) == (3, 10)

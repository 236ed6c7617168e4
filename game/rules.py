"""`Rules`, the value that describes a variant, and the named presets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property, lru_cache, reduce
from reprlib import repr as shortened
from typing import Any, Unpack

from zhaifei.game.house import house_names, read_house
from zhaifei.game.messages import Message
from zhaifei.game.parts import (
    BiddingRules,
    Counting,
    FeiToZhai,
    Fields,
    FiveAlike,
    GivingUp,
    JumpCost,
    LostDice,
    Mode,
    Points,
    Raising,
    RulesError,
    Stakes,
    Straight,
    Table,
    ZhaiToFei,
    names_of,
    verify_number,
    verify_players,
    verify_switch,
)
from zhaifei.game.raising import circle

UNBOUNDED_COUNT = 99
"""The largest count where counts are unbounded, more than all dice on the table. There is a largest
count because bids are numbered, and so that players who always raise come to an end."""


def default_first_count(players: int, dice: int) -> int:
    """Return the smallest count that may open a round: `players` + 1.

    With one die each no such bid exists, so any count may open.
    """
    return 1 if dice == 1 else players + 1


@dataclass(frozen=True)
class Rules:
    """One variant of the game. Frozen and hashable: tables are cached per value.

    Raises RulesError on construction if its parts do not fit each other.
    """

    table: Table = field(default_factory=Table)
    bidding: BiddingRules = field(default_factory=BiddingRules)
    counting: Counting = field(default_factory=Counting)
    stakes: Stakes = field(default_factory=Points)

    def __post_init__(self) -> None:
        object.__setattr__(self, "stakes", self._points())
        object.__setattr__(self, "bidding", self._openings())
        self._verify_bidding()
        self._verify_order()
        self._verify_counting()
        if self.stakes.doubled and self.stakes.jump_challenge:
            raise RulesError(
                "劈 cannot be combined with 跳开: after a double, only two players go on"
            )

    @cached_property
    def _hash(self) -> int:
        return hash((self.table, self.bidding, self.counting, self.stakes))

    def __hash__(self) -> int:
        return self._hash

    def __getstate__(self) -> dict[str, object]:
        # Without the hash, which another process computes differently.
        return {part.name: getattr(self, part.name) for part in fields(self)}

    @classmethod
    def of(cls, **values: Unpack[Fields]) -> Rules:
        """Return the rules with these `values`, and defaults for the rest: see `changed`."""
        values.setdefault("first_count", 0)
        return cls().changed(**values)

    def changed(self, **values: Unpack[Fields]) -> Rules:
        """Return these rules with other `values`. They have the names of the fields of the parts,
        and `players` with `dice` each, a number or [player], and `loses_dice`, which selects the
        stakes. Raise RulesError for a value that is out of its range, and for values that do not
        fit each other."""
        unknown = {*values} - {*Fields.__annotations__}
        if unknown:
            raise RulesError("unknown field of rules: {name!r}", name=min(unknown))
        return Rules(
            self._table(values),
            replace(self.bidding, **_of_part(BiddingRules, values)),
            replace(self.counting, **_of_part(Counting, values)),
            self._stakes(values),
        )

    def _table(self, values: Mapping[str, Any]) -> Table:
        players = values.get("players", self.players)
        verify_players(players)
        dice = values.get("dice", self.dice if "players" in values else self.table.dice)
        if not isinstance(dice, tuple):
            verify_number("dice", dice)
            dice = (dice,) * players
        elif len(dice) != values.get("players", len(dice)):
            raise RulesError(
                "{found} numbers of dice for {players} players", found=len(dice), players=players
            )
        return Table(dice, values.get("faces", self.faces))

    def _stakes(self, values: Mapping[str, Any]) -> Stakes:
        loses = values.get("loses_dice", self.loses_dice)
        verify_switch("loses_dice", loses)
        kind, other = (LostDice, Points) if loses else (Points, LostDice)
        for name, value in _of_part(other, values).items():
            if value != getattr(other, name):
                raise _of_other_stakes(name)
        before = self.stakes if isinstance(self.stakes, kind) else kind()
        changes = _of_part(kind, values)
        if changes.get("jump_challenge") is False:  # a challenge that is not allowed has no cost
            changes.setdefault("jump_cost", JumpCost.DISTANCE)
        stakes: Stakes = replace(before, **changes)
        return stakes

    def _points(self) -> Stakes:
        """Return the stakes, with one value for readings of 跳开 that do not differ among these
        players."""
        stakes = self.stakes
        if not isinstance(stakes, Points):
            return stakes
        if self.players == 2:
            return replace(stakes, jump_challenge=False, jump_cost=JumpCost.DISTANCE)
        if self.players == 3 and stakes.jump_cost is JumpCost.TWO:
            return replace(stakes, jump_cost=JumpCost.DISTANCE)
        return stakes

    def _openings(self) -> BiddingRules:
        """Return the bidding with the default count of an opening in place of 0, and with no count
        for a kind of bid that is the count anyway."""
        first = self.bidding.first_count or default_first_count(self.players, self.dice)
        of_zhai, of_ones = self.bidding.first_zhai, self.bidding.first_ones
        zhai = 0 if of_zhai == first else of_zhai
        modes = [
            mode for mode in self.bidding.modes if self.counting.wild in self.nameable_faces(mode)
        ]
        usual = {zhai or first if mode is Mode.ZHAI else first for mode in modes}
        ones = 0 if usual == {of_ones} else of_ones
        return replace(self.bidding, first_count=first, first_zhai=zhai, first_ones=ones)

    def _verify_order(self) -> None:
        """Raise RulesError if bids could follow each other in a circle."""
        found = circle(self.bidding, self.players, self.highest_count)
        if found is not None:
            first, between, then = found
            raise RulesError(
                "bids could go round for ever: a 斋 count of {between} follows a 飞 count of "
                "{first}, and a 飞 count of {then} follows that",
                first=first,
                between=between,
                then=then,
            )

    def _verify_bidding(self) -> None:
        """Raise RulesError for bidding that does not fit the table, the counting or the stakes."""
        bidding, total = self.bidding, self.total_dice
        if not 1 <= self.counting.wild <= self.faces:
            raise RulesError(
                "wild is {wild}; it must be a face from 1 to {faces}",
                wild=self.counting.wild,
                faces=self.faces,
            )
        for name in ("first_count", "first_zhai", "first_ones"):
            least, count = int(name == "first_count"), getattr(bidding, name)
            if not least <= count <= total:
                raise RulesError(
                    "{name} is {count}; it must be {least} to {dice}, the number of dice on the "
                    "table",
                    name=name,
                    count=count,
                    least=least,
                    dice=total,
                )
        nameable = {face for mode in bidding.modes for face in self.nameable_faces(mode)}
        if bidding.ones_highest and 1 not in nameable:
            raise RulesError("ones_highest requires bids that name ones")
        if bidding.first_ones and self.counting.wild not in nameable:
            raise RulesError("first_ones requires bids that name the wild face")
        for name in ("forced_opening", "unbounded"):
            if getattr(bidding, name) and not self.loses_dice:
                raise _of_other_stakes(name)

    def _verify_counting(self) -> None:
        """Raise RulesError for a rule about whole hands that does not fit these hands."""
        if self.counting.straight is Straight.BY_WISH:
            raise RulesError(
                "straights rolled again if their owner wishes cannot be played yet: nobody here "
                "decides anything before the bidding"
            )
        straight, alike = self.counting.straight is not Straight.COUNTS, self.counting.most_more
        for name, used in {"straight": straight, "five_alike": alike}.items():
            if used and (self.loses_dice or self.table.uneven):
                raise RulesError(
                    "{name} requires hands of one size; it cannot be combined with losing dice or "
                    "different numbers of dice",
                    name=name,
                )
        if straight and not 3 <= self.dice <= self.faces:
            raise RulesError(
                "straight requires 3 to {faces} dice, each with a face of its own, but dice is "
                "{dice}",
                faces=self.faces,
                dice=self.dice,
            )
        if alike and self.dice == 1:
            raise RulesError("five_alike requires hands of more than one die")

    def verify_costs_points(self) -> None:
        """Raise RulesError unless rounds are played for penalty points, which round solvers,
        measurements and records require."""
        if self.loses_dice:
            raise RulesError(
                "{rules} is not played for penalty points: by these rules dice are lost",
                rules=preset_name(self) or self,
            )

    @cached_property
    def players(self) -> int:
        """The number of players."""
        return self.table.players

    @cached_property
    def dice(self) -> int:
        """Dice per player, or the larger number where two players have different numbers."""
        return self.table.most_dice

    @cached_property
    def faces(self) -> int:
        """The number of faces of each die."""
        return self.table.faces

    @cached_property
    def dice_by_player(self) -> tuple[int, ...]:
        """[player] the number of dice of each player, as in `Table.dice`."""
        return self.table.dice

    @cached_property
    def total_dice(self) -> int:
        """The number of dice on the table, at the start if dice are lost."""
        return self.table.total_dice

    @cached_property
    def loses_dice(self) -> bool:
        """Whether the loser of a round loses a die instead of taking penalty points."""
        return self.stakes.loses_dice

    @property
    def highest_count(self) -> int:
        """The largest count that can ever be bid."""
        if self.bidding.unbounded:
            return UNBOUNDED_COUNT
        return self.total_dice + self.players * self.counting.most_more

    @property
    def most_counted(self) -> int:
        """The largest number that one hand can count towards a bid."""
        return self.dice + self.counting.most_more

    @property
    def furthest_challenge(self) -> int:
        """The largest distance, in bids, of a challenge: with 跳开 it reaches every other player's
        last bid, otherwise only the last bid."""
        return self.players - 1 if self.stakes.jump_challenge else 1

    @property
    def endings(self) -> int:
        """The number of actions that end the bidding: challenges by distance or, where stakes may
        be doubled, the challenge and giving up."""
        gives_up = self.stakes.doubled and self.stakes.giving_up is not GivingUp.FORBIDDEN
        return self.furthest_challenge + bool(gives_up)

    def nameable_faces(self, mode: Mode) -> list[int]:
        """Return the faces that a bid in `mode` may name, ascending."""
        hidden = mode is Mode.FEI and not self.bidding.wild_may_be_named
        return [f for f in range(1, self.faces + 1) if not (hidden and f == self.counting.wild)]

    @property
    def description(self) -> Message:
        """The name of the rules, the number of players and the dice, as a message."""
        sizes = {"players": self.players, "dice": self.dice, "faces": self.faces}
        name: str | Message = preset_name(self) or Message("custom rules")
        if house := _house(self):
            one, *others = house.values()
            listed = reduce(_and, others, one)
            name = Message("{name} with {house}", name=name, house=listed)
        if self.table.uneven:
            first, second = self.table.uneven
            rules = Message(
                "{name}: 2 players, {first} against {second} dice of {faces} faces",
                name=name,
                first=first,
                second=second,
                faces=self.faces,
            )
        elif self.dice == 1:
            rules = Message(
                "{name}: {players} players, 1 die of {faces} faces each", name=name, **sizes
            )
        else:
            rules = Message(
                "{name}: {players} players, {dice} dice of {faces} faces each", name=name, **sizes
            )
        return Message("{rules}, with 跳开", rules=rules) if self.stakes.jump_challenge else rules

    def __str__(self) -> str:
        return str(self.description)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values, for file headers; `from_dict` is the inverse."""
        return {
            "players": self.players,
            "dice": self.dice,
            "faces": self.faces,
            **asdict(self.bidding),
            "modes": [mode.name.lower() for mode in self.bidding.modes],
            **asdict(self.counting),
            **{name: getattr(self.stakes, name) for name in _STAKES},
            "doubled": list(self.stakes.doubled),
            "uneven": list(self.table.uneven),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Rules:
        """Return the rules that `to_dict` wrote as `values`. Raises RulesError if invalid."""
        try:
            plain = {**values, "modes": tuple(Mode[name.upper()] for name in values["modes"])}
            doubled = plain.get("doubled", [])
            plain["doubled"] = tuple(doubled) if isinstance(doubled, list) else doubled
            if type(plain.get("five_alike")) is bool:  # written before there were readings
                plain["five_alike"] = _ALIKE[plain["five_alike"]]
            uneven = plain.pop("uneven", [])
            rules = cls.of(**plain)
            return rules if uneven == [] else rules.changed(dice=_uneven(rules, uneven))
        except (KeyError, TypeError, AttributeError) as error:
            why = str(error)[:_MOST_SHOWN]
            raise RulesError("invalid description of rules: {error}", error=why) from error


_MOST_SHOWN = 80
"""The number of characters of a foreign error that a message quotes."""
_ALIKE = {False: FiveAlike.NOTHING, True: FiveAlike.ONE_MORE}
_STAKES = ("loses_dice", *names_of(Points), *names_of(LostDice))


_STREET_STAKES = (2, 4)
"""The stakes of 劈 and 反劈 on the street."""
_SAID = {"jump_challenge": "跳开", "doubled": "劈"}
"""The names of stakes as players say them."""


def _of_part(part: type[object], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the `fields` that a part has."""
    return {name: fields[name] for name in names_of(part) if name in fields}


def _of_other_stakes(name: str) -> RulesError:
    if name in names_of(Points):
        return RulesError(
            "{name} requires penalty points; it cannot be combined with losing dice",
            name=_SAID.get(name, name),
        )
    return RulesError("{name} requires rules in which dice are lost", name=name)


def _uneven(rules: Rules, dice: object) -> tuple[int, ...]:
    """Return the numbers of dice of two players of a file, which the larger number of `rules`
    repeats. Raise RulesError."""
    if not isinstance(dice, list) or any(type(one) is not int for one in dice):
        raise RulesError("uneven is {value}; it must be numbers of dice", value=shortened(dice))
    if len(dice) != rules.players or max(dice) != rules.dice:
        raise RulesError(
            "uneven is {uneven}; both players must have dice, and one of them {dice}",
            uneven=",".join(map(str, dice)),
            dice=rules.dice,
        )
    return tuple(dice)


def _and(some: Message, one: Message) -> Message:
    return Message("{some}, {one}", some=some, one=one)


def _zhaifei(players: int = 2, dice: int = 5, faces: int = 6) -> Rules:
    """Return the full game."""
    return Rules.of(players=players, dice=dice, faces=faces)


def _basic(players: int = 2, dice: int = 5, faces: int = 6) -> Rules:
    """Return the basic rules: 飞 only."""
    return Rules.of(players=players, dice=dice, faces=faces, modes=(Mode.FEI,))


def _liars_dice(players: int = 2, dice: int = 1, faces: int = 6) -> Rules:
    """Return OpenSpiel's `liars_dice`: the highest face is wild and nameable; any bid may open."""
    return Rules.of(
        players=players,
        dice=dice,
        faces=faces,
        modes=(Mode.FEI,),
        wild=faces,
        wild_may_be_named=True,
        first_count=1,
    )


def _knockout(players: int = 4, dice: int = 5, faces: int = 6) -> Rules:
    """Return `knockout`: 飞 only, faces and counts never fall, anybody may challenge, and the last
    player with dice wins."""
    return Rules.of(
        players=players,
        dice=dice,
        faces=faces,
        modes=(Mode.FEI,),
        first_count=1,
        raising=Raising.FACE_OR_COUNT,
        loses_dice=True,
        winner_starts=True,
        out_of_turn=True,
        forfeits=True,
    )


def _classic(players: int = 4, dice: int = 5, faces: int = 6) -> Rules:
    """Return `classic`, the international game: ones are wild, a raise has a higher count, or the
    same count and a higher face, and the last player with dice wins."""
    return Rules.of(
        players=players, dice=dice, faces=faces, modes=(Mode.FEI,), first_count=1, loses_dice=True
    )


def _classic_plain(players: int = 4, dice: int = 5, faces: int = 6) -> Rules:
    """Return `classic_plain`: `classic`, but no face is wild."""
    return _classic(players, dice, faces).changed(modes=(Mode.ZHAI,))


def _increment(players: int = 4, dice: int = 6, faces: int = 6) -> Rules:
    """Return `increment`: no wild face, each bid raises the count by one, and the last player with
    dice wins."""
    return Rules.of(
        players=players,
        dice=dice,
        faces=faces,
        modes=(Mode.ZHAI,),
        first_count=1,
        raising=Raising.ONE_MORE,
        loses_dice=True,
    )


def _published(players: int = 4, dice: int = 6, faces: int = 6) -> Rules:
    """Return `published`, the variant on which Oehm 2018 trained the learner: `increment`, but the
    dice make the first bid, and counts have no bound."""
    return _increment(players, dice, faces).changed(forced_opening=True, unbounded=True)


def _ktv(players: int = 2, dice: int = 5, faces: int = 6) -> Rules:
    """Return `ktv`, as it is played in many bars: lower openings, 斋 bids follow 飞 bids as 飞 bids
    do, double the count leads back, ones are highest, and straights are rolled again."""
    straight = Straight.ROLLED_AGAIN if 3 <= dice <= faces else Straight.COUNTS
    most = players * dice
    return Rules.of(
        players=players,
        dice=dice,
        faces=faces,
        first_count=min(players + 1, most),
        first_zhai=min(players, most),
        fei_to_zhai=FeiToZhai.FLAT,
        zhai_to_fei=ZhaiToFei.DOUBLE,
        ones_highest=True,
        straight=straight,
    )


def _southern(players: int = 2, dice: int = 5, faces: int = 6) -> Rules:
    """Return `southern`, a street game of the south.

    Of the readings met in public programs it takes the openings, 斋 and ones of `ktv`, straights
    worth nothing, one more for five alike, and 劈 for 2 points with 反劈 for 4.
    """
    return _ktv(players, dice, faces).changed(
        straight=Straight.NOTHING if 3 <= dice <= faces else Straight.COUNTS,
        five_alike=FiveAlike.ONE_MORE if dice > 1 else FiveAlike.NOTHING,
        doubled=_STREET_STAKES,
    )


def _northern(players: int = 2, dice: int = 5, faces: int = 6) -> Rules:
    """Return `northern`, a street game of the north.

    Of the readings met in public programs it takes openings of one and a half times the players as
    飞, the players as 斋 and one less on ones. 斋 takes half and 飞 double plus one. Ones end 飞,
    five alike count two more if they are pure, and giving up costs half the stakes of 劈 and 反劈.
    """
    most = players * dice
    return Rules.of(
        players=players,
        dice=dice,
        faces=faces,
        first_count=min(-(-3 * players // 2), most),
        first_zhai=min(players, most),
        first_ones=min(players - 1, most),
        fei_to_zhai=FeiToZhai.HALF,
        zhai_to_fei=ZhaiToFei.DOUBLE_PLUS_ONE,
        ones_end_fei=True,
        five_alike=FiveAlike.TWO_IF_PURE if dice > 1 else FiveAlike.NOTHING,
        doubled=_STREET_STAKES,
        giving_up=GivingUp.HALF,
    )


PRESETS: dict[str, Callable[..., Rules]] = {
    "zhaifei": _zhaifei,
    "ktv": _ktv,
    "southern": _southern,
    "northern": _northern,
    "basic": _basic,
    "liars_dice": _liars_dice,
    "knockout": _knockout,
    "classic": _classic,
    "classic_plain": _classic_plain,
    "increment": _increment,
    "published": _published,
}
"""{name: the function that makes its rules}; `preset` calls it."""


def preset(
    name: str,
    *,
    players: int | None = None,
    dice: int | Sequence[int] | None = None,
    faces: int | None = None,
    jump_challenge: bool = False,
    house: Iterable[str] = (),
) -> Rules:
    """Return the variant `name`, with the given sizes in place of its own, with or without 跳开,
    and with the house rules named in `house` (`game.house`). Two numbers of `dice` are the dice of
    two players, as in `Table.dice`.

    Raises HouseError, and RulesError for an unknown name, a size out of range or house rules that
    do not fit the variant.
    """
    if name not in PRESETS:
        raise RulesError(
            "unknown rules {name!r}; known rules are {presets}",
            name=name,
            presets=", ".join(PRESETS),
        )
    changes = {"jump_challenge": jump_challenge, **read_house(house)}
    if dice is not None and not isinstance(dice, int):
        players = 2 if players is None else players
        changes |= {"players": players, "dice": tuple(dice)}
        dice = max(dice, default=0)
    sizes = {"players": players, "dice": dice, "faces": faces}
    rules = PRESETS[name](**{key: value for key, value in sizes.items() if value is not None})
    if "first_count" in changes and rules.bidding.raising is Raising.ONE_MORE:
        raise RulesError(
            "{name} changes nothing where raising is {raising}",
            name="first_count",
            raising=rules.bidding.raising.value,
        )
    return rules.changed(**changes)


def with_dice(rules: Rules, dice: Sequence[int]) -> Rules:
    """Return `rules` for players with these `dice` [player]. The least count of an opening stays
    the same, unless it is the default, which is set anew. Raises RulesError."""
    first = rules.bidding.first_count
    if first == default_first_count(rules.players, rules.dice):
        first = 0
    return rules.changed(dice=tuple(dice), first_count=first)


@lru_cache(maxsize=1024)
def preset_name(rules: Rules) -> str | None:
    """Return the name of the preset that equals `rules` up to sizes, 跳开 and house rules, or None.
    Of several presets, it is the one from which the fewest house rules lead to `rules`."""
    found = {name: _added(rules, name) for name in PRESETS}
    added = {name: len(fields) for name, fields in found.items() if fields is not None}
    return min(added, key=added.__getitem__, default=None)


def house_of(rules: Rules) -> tuple[str, ...]:
    """Return the names, as in `game.house`, of the house rules that `rules` add to their preset."""
    return tuple(_house(rules))


def _house(rules: Rules) -> dict[str, Message]:
    """Return the house rules that `rules` add to their preset, as `house_names` does."""
    name = preset_name(rules)
    return {} if name is None else house_names(_added(rules, name) or {})


def _added(rules: Rules, name: str) -> dict[str, Any] | None:
    """Return the fields that house rules set to get from the preset `name` to `rules`; None if no
    house rules do."""
    plain = preset(name, players=rules.players, dice=rules.dice, faces=rules.faces)
    before, after = _values(plain), _values(rules)
    added = {field: after[field] for field in after if after[field] != before[field]}
    if rules.bidding.raising is Raising.ONE_MORE:  # any round opens with a count of one
        added.pop("first_count", None)
    added.pop("jump_challenge", None)
    return added if len(house_names(added)) == len(added) else None


def _values(rules: Rules) -> dict[str, Any]:
    """Return the fields of `rules` but for the table."""
    stakes = {name: getattr(rules.stakes, name) for name in _STAKES}
    return {**vars(rules.bidding), **vars(rules.counting), **stakes}

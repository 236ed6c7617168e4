"""`Rules`, the value that describes a variant, and the named presets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from enum import IntEnum, StrEnum
from functools import reduce
from reprlib import repr as shortened
from typing import Any

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.house import SWITCHES, Conversion, Straight, house_names, read_house
from zhaifei.game.messages import Message


class Mode(IntEnum):
    """How a bid counts: 飞 (the wild face counts as every face) or 斋 (it does not)."""

    FEI = 0
    ZHAI = 1


class Raising(StrEnum):
    """Which raises may follow a bid."""

    STRONGER = "stronger"
    """Bids of greater strength (大小)."""
    FACE_OR_COUNT = "face_or_count"
    """Bids with a higher count and a face no lower, or with the same count and a higher face."""
    ONE_MORE = "one_more"
    """Bids with a count exactly one higher, of any face. A round opens with a count of one, unless
    `forced_opening` is set."""


class RulesError(ZhaifeiError):
    """Raised for invalid rules."""


def default_first_count(players: int, dice: int) -> int:
    """Return the smallest count that may open a round: `players` + 1.

    With one die each no such bid exists, so any count may open.
    """
    return 1 if dice == 1 else players + 1


@dataclass(frozen=True)
class Rules:
    """One variant of the game. Frozen and hashable: tables are cached per value.

    Raises RulesError on construction if a field is out of its range.
    """

    players: int = 2
    dice: int = 5
    """Dice per player, or the larger number where two players have different numbers of dice."""
    faces: int = 6
    modes: tuple[Mode, ...] = (Mode.FEI, Mode.ZHAI)
    wild: int = 1
    """The face that counts as every face under 飞."""
    wild_may_be_named: bool = False
    """Whether a 飞 bid may name the wild face itself."""
    zhai_weight: int = 2
    """A 斋 bid of `count` has the strength of a 飞 bid of `zhai_weight * count`."""
    first_count: int = 0
    """Smallest count that may open a round; 0 selects `default_first_count`."""
    jump_challenge: bool = False
    """跳开: whether bids before the last may be challenged, at a cost of one point per bid back.
    With two players it changes nothing and is reset to False, so that equivalent rules compare
    equal."""
    raising: Raising = Raising.STRONGER
    loses_dice: bool = False
    """Whether the loser of a round loses a die instead of taking penalty points. Players start with
    `dice` dice; a player without dice is out, and the last one left wins the match. The switches
    below require it."""
    winner_starts: bool = False
    """Whether the winner of a round starts the next, instead of its loser."""
    out_of_turn: bool = False
    """Whether after each bid every other player, in turn order, is asked once whether to challenge
    it; a player who declines cannot challenge it on their own turn."""
    forfeits: bool = False
    """Whether an invalid bid forces the bidder to challenge the bid before it or, if there is none,
    costs the bidder a die. Otherwise an invalid bid has no effect and the player chooses again."""
    forced_opening: bool = False
    """Whether the dice make the first bid of a round: on the face of which its starter holds most
    (the lowest of several), with a count of one more than the starter holds. Like `unbounded`, it
    requires 斋 only and raises of ONE_MORE."""
    unbounded: bool = False
    """Whether a bid may count more dice than there are on the table, up to UNBOUNDED_COUNT."""
    uneven: tuple[int, ...] = ()
    """[player] the numbers of dice of two players who have different numbers: of the player who
    opens the round, then of the other. Where dice are lost, [seat] dice at the start of the match.
    Empty if both players have `dice`."""
    ones_highest: bool = False
    """叫一最大: whether the face 1 ranks above all other faces in comparisons of bids."""
    conversion: Conversion = Conversion.BY_FACE
    """Which of a 飞 bid and a 斋 bid is stronger if their weighted counts are equal."""
    zhai_stays: bool = False
    """Whether only 斋 bids may follow a 斋 bid."""
    ones_end_fei: bool = False
    """叫一破飞: whether a bid that names the wild face ends 飞 for the rest of the round, so that
    only stronger 斋 bids follow. Earlier bids count as they were made."""
    straight: Straight = Straight.COUNTS
    """How a straight (顺子) counts: a hand whose dice all show different faces."""
    five_alike: bool = False
    """围骰: whether a hand whose dice all show one face counts one die more towards each bid to
    which its dice count."""

    def __post_init__(self) -> None:
        # Values may come from a file, so their types are checked too.
        for name in _NUMBERS:
            value = getattr(self, name)
            if type(value) is not int:
                raise RulesError(
                    "{name} is {value}; it must be a whole number",
                    name=name,
                    value=shortened(value),
                )
        for name in _SWITCHES:
            value = getattr(self, name)
            if type(value) is not bool:
                raise RulesError(
                    "{name} is {value}; it must be true or false", name=name, value=shortened(value)
                )
        if self.players == 2:
            object.__setattr__(self, "jump_challenge", False)
        for name, kind in _KINDS.items():
            value = getattr(self, name)
            try:
                object.__setattr__(self, name, kind(value))
            except ValueError as error:
                raise RulesError(
                    "{name} is {value}; it must be one of {known}",
                    name=name,
                    value=shortened(value),
                    known=", ".join(kind),
                ) from error
        try:
            object.__setattr__(self, "modes", tuple(Mode(m) for m in self.modes))
        except (TypeError, ValueError) as error:
            raise _no_modes(self.modes) from error
        self._verify_uneven()
        if self.first_count == 0:
            object.__setattr__(self, "first_count", default_first_count(self.players, self.dice))
        self._verify_ranges()
        self._verify_order()
        self._verify_counting()

    def _verify_uneven(self) -> None:
        """Raise RulesError unless `uneven` agrees with `dice` and `players`; empty it if all
        numbers are equal."""
        # `from_dict` passes a list.
        if not isinstance(self.uneven, tuple | list) or any(
            type(dice) is not int for dice in self.uneven
        ):
            raise RulesError(
                "uneven is {value}; it must be numbers of dice", value=shortened(self.uneven)
            )
        uneven = tuple(self.uneven)
        if not uneven:
            object.__setattr__(self, "uneven", ())
            return
        if self.players != 2 or len(uneven) != 2:
            raise RulesError(
                "dice is {dice} for {players} players; only two players may have different numbers "
                "of dice",
                dice=_numbers(uneven),
                players=self.players,
            )
        if min(uneven) < 1 or max(uneven) != self.dice:
            raise RulesError(
                "uneven is {uneven}; both players must have dice, and one of them {dice}",
                uneven=_numbers(uneven),
                dice=self.dice,
            )
        object.__setattr__(self, "uneven", uneven if len(set(uneven)) > 1 else ())

    def _verify_ranges(self) -> None:
        players, dice, faces = self.players, self.dice, self.faces
        if not 2 <= players <= 8:
            raise RulesError("players is {players}; it must be 2 to 8", players=players)
        if not 1 <= dice <= 9:
            raise RulesError("dice is {dice}; each player has 1 to 9 dice", dice=dice)
        if not 2 <= faces <= 9:
            raise RulesError("faces is {faces}; a die has 2 to 9 faces", faces=faces)
        if not self.modes or list(self.modes) != sorted(set(self.modes)):
            raise _no_modes(self.modes)
        if not 1 <= self.wild <= faces:
            raise RulesError(
                "wild is {wild}; it must be a face from 1 to {faces}", wild=self.wild, faces=faces
            )
        if not 1 <= self.zhai_weight <= _HEAVIEST_ZHAI:
            raise RulesError(
                "zhai_weight is {weight}; it must be 1 to {most}",
                weight=self.zhai_weight,
                most=_HEAVIEST_ZHAI,
            )
        if not 1 <= self.first_count <= self.total_dice:
            raise RulesError(
                "first_count is {count}; it must be 1 to {dice}, the number of dice on the table",
                count=self.first_count,
                dice=self.total_dice,
            )
        if self.loses_dice and self.jump_challenge:
            raise RulesError("跳开 requires penalty points; it cannot be combined with losing dice")
        for name in ("winner_starts", "out_of_turn", "forfeits", *_OF_ONE_MORE):
            if getattr(self, name) and not self.loses_dice:
                raise RulesError("{name} requires rules in which dice are lost", name=name)
        for name in _OF_ONE_MORE:
            one_more = self.raising is Raising.ONE_MORE and self.modes == (Mode.ZHAI,)
            if getattr(self, name) and not one_more:
                raise RulesError("{name} requires 斋 only, and raising one_more", name=name)

    def _verify_order(self) -> None:
        """Raise RulesError for a house rule about the order of bids that would have no effect."""
        by_strength = self.raising is Raising.STRONGER
        by_face = by_strength or self.raising is Raising.FACE_OR_COUNT
        converts = self.conversion is not Conversion.BY_FACE
        for name, nothing in {
            "ones_highest": self.ones_highest and not by_face,
            "conversion": converts and not by_strength,
        }.items():
            if nothing:
                raise RulesError(
                    "{name} changes nothing where raising is {raising}",
                    name=name,
                    raising=self.raising.value,
                )
        nameable = {face for mode in self.modes for face in self.nameable_faces(mode)}
        if self.ones_highest and 1 not in nameable:
            raise RulesError("ones_highest requires bids that name ones")
        of_modes = {
            "conversion": converts,
            "zhai_stays": self.zhai_stays,
            "ones_end_fei": self.ones_end_fei,
        }
        for name, used in of_modes.items():
            if used and len(self.modes) < len(Mode):
                raise RulesError("{name} requires both 飞 and 斋", name=name)
        if self.ones_end_fei and self.loses_dice:
            raise RulesError(
                "ones_end_fei requires penalty points; it cannot be combined with losing dice"
            )
        if self.ones_end_fei and self.zhai_stays and not self.wild_may_be_named:
            raise RulesError("ones_end_fei changes nothing where zhai_stays: only 斋 names ones")

    def _verify_counting(self) -> None:
        """Raise RulesError for a house rule about whole hands that does not fit these hands."""
        straight = self.straight is not Straight.COUNTS
        for name, used in {"straight": straight, "five_alike": self.five_alike}.items():
            if used and (self.loses_dice or self.uneven):
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
        if self.five_alike and self.dice == 1:
            raise RulesError("five_alike requires hands of more than one die")

    def verify_costs_points(self) -> None:
        """Raise RulesError unless rounds are played for penalty points, which round solvers,
        measurements and records require."""
        if self.loses_dice:
            raise RulesError(
                "{rules} is not played for penalty points: by these rules dice are lost",
                rules=preset_name(self) or self,
            )

    @property
    def total_dice(self) -> int:
        """The number of dice on the table, at the start if dice are lost."""
        return sum(self.dice_by_player)

    @property
    def dice_by_player(self) -> tuple[int, ...]:
        """[player] the number of dice of each player, from the one who opens the round on. Where
        dice are lost, [seat] at the start of the match."""
        return self.uneven or (self.dice,) * self.players

    @property
    def highest_count(self) -> int:
        """The largest count that can ever be bid."""
        if self.unbounded:
            return UNBOUNDED_COUNT
        return self.total_dice + self.players * self.five_alike

    @property
    def most_counted(self) -> int:
        """The largest number that one hand can count towards a bid."""
        return self.dice + self.five_alike

    @property
    def counts_hands(self) -> bool:
        """Whether what a die counts depends on its hand, or the dice of a hand depend on each
        other."""
        return self.five_alike or self.straight is not Straight.COUNTS

    @property
    def furthest_challenge(self) -> int:
        """The largest distance, in bids, of a challenge: with 跳开 it reaches every other player's
        last bid, otherwise only the last bid."""
        return self.players - 1 if self.jump_challenge else 1

    def nameable_faces(self, mode: Mode) -> list[int]:
        """Return the faces that a bid in `mode` may name, ascending."""
        hidden = mode is Mode.FEI and not self.wild_may_be_named
        return [f for f in range(1, self.faces + 1) if not (hidden and f == self.wild)]

    @property
    def description(self) -> Message:
        """The name of the rules, the number of players and the dice, as a message."""
        sizes = {"players": self.players, "dice": self.dice, "faces": self.faces}
        name: str | Message = preset_name(self) or Message("custom rules")
        if house := _house(self):
            one, *others = house.values()
            listed = reduce(_and, others, one)
            name = Message("{name} with {house}", name=name, house=listed)
        if self.uneven:
            first, second = self.uneven
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
        return Message("{rules}, with 跳开", rules=rules) if self.jump_challenge else rules

    def __str__(self) -> str:
        return str(self.description)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values, for file headers; `from_dict` is the inverse."""
        modes = [mode.name.lower() for mode in self.modes]
        return {**asdict(self), "modes": modes, "uneven": list(self.uneven)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Rules:
        """Return the rules that `to_dict` wrote as `values`. Raises RulesError if invalid."""
        try:
            unknown = {*values} - {field.name for field in fields(cls)}
            if unknown:
                raise KeyError(min(unknown))
            modes = tuple(Mode[name.upper()] for name in values["modes"])
            return cls(**{**values, "modes": modes})
        except (KeyError, TypeError, AttributeError) as error:
            why = str(error)[:_MOST_SHOWN]
            raise RulesError("invalid description of rules: {error}", error=why) from error


UNBOUNDED_COUNT = 99
"""The largest count where counts are unbounded, more than all dice on the table. There is a largest
count because bids are numbered, and so that players who always raise come to an end."""
_MOST_SHOWN = 80
"""The number of characters of a foreign error that a message quotes."""
_HEAVIEST_ZHAI = 100
"""More than all dice on the table: with this weight every 斋 bid beats every 飞 bid."""
_NUMBERS = ("players", "dice", "faces", "wild", "zhai_weight", "first_count")
_SWITCHES = (
    "wild_may_be_named",
    "jump_challenge",
    "loses_dice",
    "winner_starts",
    "out_of_turn",
    "forfeits",
    "forced_opening",
    "unbounded",
    "ones_highest",
    "zhai_stays",
    "ones_end_fei",
    "five_alike",
)
_KINDS: Mapping[str, type[StrEnum]] = {
    "raising": Raising,
    "conversion": Conversion,
    "straight": Straight,
}
_OF_ONE_MORE = ("forced_opening", "unbounded")


def _and(some: Message, one: Message) -> Message:
    return Message("{some}, {one}", some=some, one=one)


def _numbers(dice: Sequence[int]) -> str:
    return ",".join(map(str, dice))


def _no_modes(modes: object) -> RulesError:
    return RulesError(
        "modes is {modes}; it must be 飞, 斋 or both, each once", modes=shortened(modes)
    )


def _zhaifei(players: int = 2, dice: int = 5, faces: int = 6) -> Rules:
    """Return the full game."""
    return Rules(players, dice, faces)


def _basic(players: int = 2, dice: int = 5, faces: int = 6) -> Rules:
    """Return the basic rules: 飞 only."""
    return Rules(players, dice, faces, modes=(Mode.FEI,))


def _liars_dice(players: int = 2, dice: int = 1, faces: int = 6) -> Rules:
    """Return OpenSpiel's `liars_dice`: the highest face is wild and nameable; any bid may open."""
    return Rules(
        players, dice, faces, (Mode.FEI,), wild=faces, wild_may_be_named=True, first_count=1
    )


def _knockout(players: int = 4, dice: int = 5, faces: int = 6) -> Rules:
    """Return `knockout`: 飞 only, faces and counts never fall, anybody may challenge, and the last
    player with dice wins."""
    return Rules(
        players,
        dice,
        faces,
        (Mode.FEI,),
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
    return Rules(players, dice, faces, (Mode.FEI,), first_count=1, loses_dice=True)


def _classic_plain(players: int = 4, dice: int = 5, faces: int = 6) -> Rules:
    """Return `classic_plain`: `classic`, but no face is wild."""
    return replace(_classic(players, dice, faces), modes=(Mode.ZHAI,))


def _increment(players: int = 4, dice: int = 6, faces: int = 6) -> Rules:
    """Return `increment`: no wild face, each bid raises the count by one, and the last player with
    dice wins."""
    return Rules(
        players, dice, faces, (Mode.ZHAI,), first_count=1, raising=Raising.ONE_MORE, loses_dice=True
    )


def _published(players: int = 4, dice: int = 6, faces: int = 6) -> Rules:
    """Return `published`, the variant on which Oehm 2018 trained the learner: `increment`, but the
    dice make the first bid, and counts have no bound."""
    return replace(_increment(players, dice, faces), forced_opening=True, unbounded=True)


PRESETS: dict[str, Callable[..., Rules]] = {
    "zhaifei": _zhaifei,
    "basic": _basic,
    "liars_dice": _liars_dice,
    "knockout": _knockout,
    "classic": _classic,
    "classic_plain": _classic_plain,
    "increment": _increment,
    "published": _published,
}


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
    two players, as in `Rules.uneven`.

    Raises HouseError, and RulesError for an unknown name, a size out of range or house rules that
    do not fit the variant.
    """
    if name not in PRESETS:
        raise RulesError(
            "unknown rules {name!r}; known rules are {presets}",
            name=name,
            presets=", ".join(PRESETS),
        )
    uneven: Sequence[int] = ()
    if dice is not None and not isinstance(dice, int):
        uneven, dice = dice, max(dice, default=0)
        players = 2 if players is None else players
    sizes = {"players": players, "dice": dice, "faces": faces}
    rules = PRESETS[name](**{key: value for key, value in sizes.items() if value is not None})
    switches = read_house(house)
    if "first_count" in switches and rules.raising is Raising.ONE_MORE:
        raise RulesError(
            "{name} changes nothing where raising is {raising}",
            name="first_count",
            raising=rules.raising.value,
        )
    return replace(rules, jump_challenge=jump_challenge, uneven=tuple(uneven), **switches)


def with_dice(rules: Rules, dice: Sequence[int]) -> Rules:
    """Return `rules` for players with these `dice` [player]. The least count of an opening stays
    the same, unless it is the default, which is set anew. Raises RulesError."""
    first = rules.first_count
    if first == default_first_count(rules.players, rules.dice):
        first = 0
    return replace(rules, dice=max(dice), uneven=tuple(dice), first_count=first)


def preset_name(rules: Rules) -> str | None:
    """Return the name of the preset that equals `rules` up to sizes, 跳开 and house rules, or
    None."""
    ordinary = replace(rules, jump_challenge=False, uneven=(), **_ORDINARY)
    for name in PRESETS:
        of_name = preset(name, players=rules.players, dice=rules.dice, faces=rules.faces)
        if rules.raising is not Raising.ONE_MORE:
            ordinary = replace(ordinary, first_count=of_name.first_count)
        if ordinary == of_name:
            return name
    return None


_ORDINARY: dict[str, Any] = {
    field.name: field.default
    for field in fields(Rules)
    if field.name in {switch.field for switch in SWITCHES.values()} - {"first_count"}
}
"""The fields that house rules set, except `first_count`, with their default values."""


def house_of(rules: Rules) -> tuple[str, ...]:
    """Return the names, as in `game.house`, of the house rules that `rules` add to their preset."""
    return tuple(_house(rules))


def _house(rules: Rules) -> dict[str, Message]:
    """Return the house rules that `rules` add to their preset, as `house_names` does."""
    name = preset_name(rules)
    usual = default_first_count(rules.players, rules.dice)
    if name is not None:
        plain = preset(name, players=rules.players, dice=rules.dice, faces=rules.faces)
        usual = plain.first_count
    set_ = {name: getattr(rules, name) for name in _ORDINARY}
    if rules.first_count != usual and rules.raising is not Raising.ONE_MORE:
        set_["first_count"] = rules.first_count
    return house_names(set_)

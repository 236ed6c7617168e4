"""Loops over hands that look each hand up in a table of at most eight numbers.

What a challenge pays a hand depends only on how many of its dice count. So it is computed for 0 to
5 dice and then looked up for all 252 hands, which training does more often than anything else. LLVM
does not vectorise a look-up. x86 processors with AVX2 have an instruction that looks up eight
numbers at a time in a table of eight held in a register. It is four times as fast as a product with
a mask for each number of dice. Elsewhere a plain loop computes the same.

Called from plain Python, the functions are plain Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

Floats = NDArray[np.float32]

LANES = 8
"""The size of a table that the AVX2 instruction serves."""

_INT, _FLOAT = ir.IntType(64), ir.FloatType()
_FLOATS = ir.VectorType(_FLOAT, LANES)


def add_entries(value: Floats, table: Floats, place: NDArray[np.uint32]) -> None:
    """Add to each `value` [hand] the entry of `table` [entry] at its `place` [hand]."""
    for hand in range(value.size):
        value[hand] += table[place[hand]]


def raise_to_entries(value: Floats, table: Floats, place: NDArray[np.uint32]) -> None:
    """Raise each `value` [hand] to the entry of `table` [entry] at its `place` [hand], if the entry
    is higher. There is no NaN."""
    for hand in range(value.size):
        value[hand] = max(value[hand], table[place[hand]])


def _sum(builder: Any, old: Any, entry: Any) -> Any:
    return builder.fadd(old, entry)


def _higher(builder: Any, old: Any, entry: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", entry, old), entry, old)


Combine = Callable[[Any, Any, Any], Any]


def _loop(combine: Combine) -> Callable[..., Any]:
    """Return the generator of a loop that replaces each value by `combine` of the value and its
    entry."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value, table, place = (
            context.make_array(kind)(context, builder, argument)
            for kind, argument in zip(signature.args, arguments, strict=True)
        )
        hands = builder.extract_value(value.shape, 0)
        done: ir.Value = cgutils.alloca_once_value(builder, _INT(0))  # type: ignore[no-untyped-call]
        if "+avx2" in context.codegen().magic_tuple()[2].split(","):
            fits = builder.icmp_unsigned("==", builder.extract_value(table.shape, 0), _INT(LANES))
            with builder.if_then(fits):
                whole = builder.and_(hands, _INT(-LANES))
                _lanes(builder, value.data, table.data, place.data, whole, combine)
                builder.store(whole, done)
        with cgutils.for_range_slice(builder, builder.load(done), hands, _INT(1)) as (hand, _):
            entry = builder.zext(builder.load(builder.gep(place.data, [hand])), _INT)
            target = builder.gep(value.data, [hand])
            found = builder.load(builder.gep(table.data, [entry]))
            builder.store(combine(builder, builder.load(target), found), target)
        return context.get_dummy_value()

    return generate


def _lanes(builder: Any, value: Any, table: Any, place: Any, whole: Any, combine: Combine) -> None:
    """Generate the loop over `whole` hands, eight at a time."""
    wide = ir.VectorType(ir.IntType(32), LANES)
    kind = ir.FunctionType(_FLOATS, [_FLOATS, wide])
    permute = builder.module.declare_intrinsic("llvm.x86.avx2.permps", (), kind)
    entries = builder.load(builder.bitcast(table, _FLOATS.as_pointer()), align=4)
    with cgutils.for_range_slice(builder, _INT(0), whole, _INT(LANES)) as (hand, _):
        source = builder.bitcast(builder.gep(place, [hand]), wide.as_pointer())
        places = builder.load(source, align=4)
        target = builder.bitcast(builder.gep(value, [hand]), _FLOATS.as_pointer())
        found = builder.call(permute, [entries, places])
        builder.store(combine(builder, builder.load(target, align=4), found), target, align=4)


def _typed_add(typing_context: Any, value: Any, table: Any, place: Any) -> Any:
    return types.void(value, table, place), _loop(_sum)


def _typed_raise(typing_context: Any, value: Any, table: Any, place: Any) -> Any:
    return types.void(value, table, place), _loop(_higher)


_add: Callable[..., None] = intrinsic(_typed_add)
_raise: Callable[..., None] = intrinsic(_typed_raise)


@overload(add_entries, inline="always")
def _compiled_add_entries(value: Any, table: Any, place: Any) -> Callable[..., None]:
    def compiled(value: Any, table: Any, place: Any) -> None:
        _add(value, table, place)

    return compiled


@overload(raise_to_entries, inline="always")
def _compiled_raise_to_entries(value: Any, table: Any, place: Any) -> Callable[..., None]:
    def compiled(value: Any, table: Any, place: Any) -> None:
        _raise(value, table, place)

    return compiled

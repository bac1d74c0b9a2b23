"""`pyrave.jit.addresses` for numba: a call in its own convention, of an address."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic


@intrinsic
def returns_bool(_typing: Any, address: Any, *args: Any) -> Any:
    """Call a compiled function that returns a bool and raises nothing."""
    given = types.StarArgTuple(args) if args else types.StarArgTuple(())

    def build(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        kinds = list(sig.args[1].types)
        passed = cgutils.unpack_tuple(builder, values[1], len(kinds))
        kind = context.call_conv.get_function_type(types.boolean, kinds)
        callee = builder.inttoptr(values[0], ir.PointerType(kind))
        _, found = context.call_conv.call_function(
            builder, callee, types.boolean, kinds, passed
        )
        return found

    return types.boolean(address, given), build

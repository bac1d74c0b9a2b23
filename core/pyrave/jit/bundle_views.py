"""`pyrave.jit.bundles` for numba: arrays made of addresses, without a count of uses."""

from __future__ import annotations

from typing import Any

from numba.core import cgutils, types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

from pyrave.jit.bundles import COLUMNS


def _accessor(element: Any, rank: int) -> Any:
    """Return the function of a bundle and a number that gives an array."""
    kind = types.Array(element, rank, "C")
    size = element.bitwidth // 8

    @intrinsic
    def array_of(_typing: Any, table: Any, k: Any) -> Any:
        def build(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            listed = context.make_array(sig.args[0])(context, builder, args[0])
            row = builder.mul(args[1], context.get_constant(types.intp, COLUMNS))

            def entry(column: int) -> Any:
                place = builder.add(row, context.get_constant(types.intp, column))
                return builder.load(builder.gep(listed.data, [place]))

            shape = [entry(1 + axis) for axis in range(rank)]
            itemsize = context.get_constant(types.intp, size)
            strides = [itemsize]
            for length in reversed(shape[1:]):
                strides.insert(0, builder.mul(strides[0], length))
            array = make_array(kind)(context, builder)
            populate_array(
                array,
                data=builder.inttoptr(entry(0), array.data.type),
                shape=cgutils.pack_array(builder, shape),
                strides=cgutils.pack_array(builder, strides),
                itemsize=itemsize,
                meminfo=None,
            )
            return array._getvalue()

        return kind(table, types.intp), build

    return array_of


f64_1 = _accessor(types.float64, 1)
f64_2 = _accessor(types.float64, 2)
f64_3 = _accessor(types.float64, 3)
f32_1 = _accessor(types.float32, 1)
f32_3 = _accessor(types.float32, 3)
i32_1 = _accessor(types.int32, 1)
i32_2 = _accessor(types.int32, 2)
i64_1 = _accessor(types.int64, 1)
i64_2 = _accessor(types.int64, 2)
u8_1 = _accessor(types.uint8, 1)

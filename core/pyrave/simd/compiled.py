"""`pyrave.simd` for numba: vector types and one machine operation per function.

Vectors are LLVM's: on a machine with narrower registers it takes several of them.
"""

from __future__ import annotations

import operator
from typing import Any

from numba import types
from numba.extending import intrinsic, lower_builtin, models, register_model

from pyrave.jit.numba_internals import (
    AbstractTemplate,
    cgutils,
    infer_global,
    ir,
    signature,
)

_FLOATS = {types.float32: ir.FloatType(), types.float64: ir.DoubleType()}
_ELEMENTS = {**_FLOATS, types.int32: ir.IntType(32)}


class Vector(types.Type):
    """A few float32 or float64 numbers, or int32 ones, which are only moved."""

    def __init__(self, element: types.Number, count: int) -> None:
        self.element = element
        self.count = count
        super().__init__(name=f"{element}x{count}")


class Mask(types.Type):
    """A condition for each number of a vector."""

    def __init__(self, count: int) -> None:
        self.count = count
        super().__init__(name=f"mask{count}")


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Vector) -> None:
        element = _ELEMENTS[kind.element]
        super().__init__(manager, kind, ir.VectorType(element, kind.count))


@register_model(Mask)
class _MaskModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Mask) -> None:
        super().__init__(manager, kind, ir.VectorType(ir.IntType(1), kind.count))


def _joint(*kinds: Any) -> Any:
    """Return the type that an operation between these has; None if it has none."""
    vectors = {kind for kind in kinds if isinstance(kind, Vector)}
    if any(kind.element not in _FLOATS for kind in vectors):
        return None
    if len(vectors) == 1:
        others = [kind for kind in kinds if kind not in vectors]
        if all(isinstance(kind, (types.Float, types.Integer)) for kind in others):
            return vectors.pop()
    if not vectors and all(kind in _FLOATS for kind in kinds):
        return types.float64 if types.float64 in kinds else types.float32
    return None


def _as(context: Any, builder: Any, value: Any, kind: Any, wanted: Any) -> Any:
    """Return a number as a vector or another number, or as it is."""
    if kind == wanted:
        return value
    if not isinstance(wanted, Vector):
        return context.cast(builder, value, kind, wanted)
    number = context.cast(builder, value, kind, wanted.element)
    return _splat(builder, number, wanted)


def _splat(builder: Any, number: Any, kind: Vector) -> Any:
    vector = ir.VectorType(_ELEMENTS[kind.element], kind.count)
    lane = ir.Constant(ir.IntType(32), 0)
    one = builder.insert_element(ir.Constant(vector, ir.Undefined), number, lane)
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), kind.count), None)
    return builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), zeros)


# -- operators -------------------------------------------------------------------------


def _arithmetic(symbol: Any, instruction: str) -> None:
    @infer_global(symbol)
    class Operation(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            if len(args) != 2 or not any(isinstance(a, Vector) for a in args):
                return None
            kind = _joint(*args)
            return None if kind is None else signature(kind, *args)

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        a, b = (
            _as(context, builder, value, kind, sig.return_type)
            for value, kind in zip(args, sig.args, strict=True)
        )
        return getattr(builder, instruction)(a, b)

    for left, right in (
        (Vector, Vector),
        (Vector, types.Number),
        (types.Number, Vector),
    ):
        lower_builtin(symbol, left, right)(lower)


def _comparison(symbol: Any, sign: str) -> None:
    @infer_global(symbol)
    class Operation(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            if len(args) != 2 or not any(isinstance(a, Vector) for a in args):
                return None
            kind = _joint(*args)
            return None if kind is None else signature(Mask(kind.count), *args)

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        wanted = _joint(*sig.args)
        a, b = (
            _as(context, builder, value, kind, wanted)
            for value, kind in zip(args, sig.args, strict=True)
        )
        return builder.fcmp_ordered(sign, a, b)

    for left, right in (
        (Vector, Vector),
        (Vector, types.Number),
        (types.Number, Vector),
    ):
        lower_builtin(symbol, left, right)(lower)


def _logic(symbol: Any, instruction: str) -> None:
    @infer_global(symbol)
    class Operation(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            if len(args) == 2 and isinstance(args[0], Mask) and args[0] == args[1]:
                return signature(args[0], *args)
            return None

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return getattr(builder, instruction)(*args)

    lower_builtin(symbol, Mask, Mask)(lower)


for _symbol, _instruction in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
):
    _arithmetic(_symbol, _instruction)
for _symbol, _sign in (
    (operator.lt, "<"),
    (operator.le, "<="),
    (operator.gt, ">"),
    (operator.ge, ">="),
    (operator.eq, "=="),
):
    _comparison(_symbol, _sign)
for _symbol, _instruction in ((operator.and_, "and_"), (operator.or_, "or_")):
    _logic(_symbol, _instruction)


@infer_global(operator.neg)
class _Negation(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        return signature(args[0], *args) if isinstance(args[0], Vector) else None


@lower_builtin(operator.neg, Vector)
def _negate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.fneg(args[0])


# -- functions -------------------------------------------------------------------------


def _llvm(builder: Any, name: str, *args: Any, **options: Any) -> Any:
    """Call an intrinsic of LLVM whose result is of its arguments' type."""
    kind = args[0].type
    if isinstance(kind, ir.VectorType):
        suffix = f"v{kind.count}{'f32' if kind.element == ir.FloatType() else 'f64'}"
    else:
        suffix = "f32" if kind == ir.FloatType() else "f64"
    function = cgutils.get_or_insert_function(
        builder.module,
        ir.FunctionType(kind, [kind] * len(args)),
        f"llvm.{name}.{suffix}",
    )
    return builder.call(function, args, **options)


def _loader(count: int) -> Any:
    @intrinsic
    def load(typing: Any, array: Any, index: Any) -> Any:
        kind = Vector(array.dtype, count)

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return builder.load(
                _place(context, builder, sig.args[0], args[0], args[1], kind),
                align=array.dtype.bitwidth // 8,
            )

        return kind(array, types.intp), generate

    return load


def _place(
    context: Any, builder: Any, array: Any, value: Any, index: Any, kind: Any
) -> Any:
    """Return the address of a vector, or a number, of some kind in an array."""
    data = context.make_array(array)(context, builder, value).data
    return builder.bitcast(builder.gep(data, [index]), _form(kind).as_pointer())


def _form(kind: Any) -> Any:
    """Return LLVM's type of a vector or a number."""
    if isinstance(kind, Vector):
        return ir.VectorType(_ELEMENTS[kind.element], kind.count)
    return _ELEMENTS[kind]


@intrinsic
def at(typing: Any, array: Any, index: Any) -> Any:
    """Return the number at a flat index."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        data = context.make_array(sig.args[0])(context, builder, args[0]).data
        return builder.load(builder.gep(data, [args[1]]))

    return array.dtype(array, types.intp), generate


load8 = _loader(8)
load16 = _loader(16)


@intrinsic
def spread16(typing: Any, value: Any) -> Any:
    """Return a vector of 16 equal numbers."""
    kind = Vector(value, 16)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _splat(builder, args[0], kind)

    return kind(value), generate


@intrinsic
def store(typing: Any, array: Any, index: Any, vector: Any) -> Any:
    """Write a vector, or a number, to an array."""
    kind = vector if isinstance(vector, Vector) else array.dtype

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        place = _place(context, builder, sig.args[0], args[0], args[1], kind)
        value = _as(context, builder, args[2], vector, kind)
        builder.store(value, place, align=array.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, types.intp, vector), generate


@intrinsic
def prefetch(typing: Any, array: Any, index: Any) -> Any:
    """Begin to fetch what is at a flat index of an array."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        data = context.make_array(sig.args[0])(context, builder, args[0]).data
        place = builder.gep(data, [args[1]])
        place = builder.bitcast(place, ir.IntType(8).as_pointer())
        number = ir.IntType(32)
        function = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(ir.VoidType(), [place.type, number, number, number]),
            "llvm.prefetch.p0",
        )
        # for reading, to all caches, data
        builder.call(function, [place, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, types.intp), generate


def _pick(sign: str) -> Any:
    @intrinsic
    def pick(typing: Any, a: Any, b: Any) -> Any:
        kind = _joint(a, b)

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            x = _as(context, builder, args[0], a, kind)
            y = _as(context, builder, args[1], b, kind)
            return builder.select(builder.fcmp_ordered(sign, x, y), x, y)

        return kind(a, b), generate

    return pick


minimum = _pick("<")
maximum = _pick(">")


@intrinsic
def where(typing: Any, condition: Any, a: Any, b: Any) -> Any:
    """Return a where the condition holds, else b."""
    kind = _joint(a, b)
    if isinstance(condition, Mask) and not isinstance(kind, Vector):
        kind = Vector(kind, condition.count)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        x = _as(context, builder, args[1], a, kind)
        y = _as(context, builder, args[2], b, kind)
        return builder.select(args[0], x, y)

    return kind(condition, a, b), generate


def _unary(name: str) -> Any:
    @intrinsic
    def apply(typing: Any, a: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return _llvm(builder, name, args[0])

        return a(a), generate

    return apply


absolute = _unary("fabs")
sqrt = _unary("sqrt")


@intrinsic
def fma(typing: Any, a: Any, b: Any, c: Any) -> Any:
    """Return a b + c."""
    kind = _joint(a, b, c)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        values = [
            _as(context, builder, value, given, kind)
            for value, given in zip(args, sig.args, strict=True)
        ]
        return _llvm(builder, "fmuladd", *values)

    return kind(a, b, c), generate


@intrinsic
def single(typing: Any, a: Any) -> Any:
    """Return float32 of float64."""
    if isinstance(a, Vector):
        kind: Any = Vector(types.float32, a.count)
        wanted: Any = ir.VectorType(ir.FloatType(), a.count)
    else:
        kind, wanted = types.float32, ir.FloatType()
    same = a == kind

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return args[0] if same else builder.fptrunc(args[0], wanted)

    return kind(a), generate


def _reduction(name: str) -> Any:
    @intrinsic
    def reduce(typing: Any, vector: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            kind = args[0].type
            short = "f32" if vector.element == types.float32 else "f64"
            function = cgutils.get_or_insert_function(
                builder.module,
                ir.FunctionType(kind.element, [kind]),
                f"llvm.vector.reduce.{name}.v{vector.count}{short}",
            )
            return builder.call(function, args, fastmath=("nnan",))

        return vector.element(vector), generate

    return reduce


largest = _reduction("fmax")
smallest = _reduction("fmin")


@intrinsic
def reduce_add(typing: Any, vector: Any) -> Any:
    """Return the sum of a vector's numbers."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        kind = args[0].type
        short = "f32" if vector.element == types.float32 else "f64"
        function = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(kind.element, [kind.element, kind]),
            f"llvm.vector.reduce.fadd.v{vector.count}{short}",
        )
        zero = ir.Constant(kind.element, 0.0)
        return builder.call(function, [zero, args[0]], fastmath=("reassoc",))

    return vector.element(vector), generate


@intrinsic
def movemask(typing: Any, condition: Any) -> Any:
    """Return conditions as bits."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        packed = builder.bitcast(args[0], ir.IntType(condition.count))
        return builder.zext(packed, ir.IntType(64))

    return types.int64(condition), generate


@intrinsic
def lowest_bit(typing: Any, mask: Any) -> Any:
    """Return the number of the lowest bit."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


@intrinsic
def count_bits(typing: Any, mask: Any) -> Any:
    """Return the number of bits that are set."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), generate


@intrinsic
def permuted(typing: Any, vector: Any, places: Any) -> Any:
    """Return numbers of a vector of eight at places of three bits each."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        place = ir.IntType(32)
        kind = ir.VectorType(place, 8)
        packed = context.cast(builder, args[1], places, types.int32)
        each = _splat(builder, packed, Vector(types.int32, 8))
        each = builder.lshr(each, ir.Constant(kind, list(range(0, 24, 3))))
        each = builder.and_(each, ir.Constant(kind, [7] * 8))
        # compilers know this pattern as one operation, where the machine has it
        result = ir.Constant(args[0].type, ir.Undefined)
        for k in range(8):
            chosen = builder.extract_element(each, place(k))
            number = builder.extract_element(args[0], chosen)
            result = builder.insert_element(result, number, place(k))
        return result

    return vector(vector, places), generate

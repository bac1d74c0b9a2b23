"""Repeated work of numba while it compiles, done once.

All of it works on the inside of numba, for the length of a block, and changes no
machine code.
"""

from __future__ import annotations

import importlib.util
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from typing import Any

from llvmlite.binding import ffi
from numba.core import base, types
from numba.core import ir as code
from numba.core.base import BaseContext
from numba.core.postproc import PostProcessor, VariableLifetime
from numba.core.targetconfig import ConfigStack
from numba.core.transforms import canonicalize_cfg
from numba.core.typed_passes import NopythonRewrites
from numba.core.types.functions import BaseFunction
from numba.core.typing.context import BaseContext as TypingContext
from numba.core.typing.templates import _OverloadFunctionTemplate
from numba.core.untyped_passes import InlineClosureLikes

from pyrave._collector import rare_collections

__all__ = ["call_types_found_once"]

_is_free = threading.Lock()


@contextmanager
def call_types_found_once() -> Iterator[None]:
    """Have numba find the types of a call once for the same function and arguments.

    It tries all forms of a function, some twenty for a product, at each call of it and
    again in each round of its search for types: a sixth of all that compiling takes.
    What they depend on besides, numba's options, is part of what they are found by.
    Passes for what a function does not have are left out.
    Variables of instructions are listed faster, where variables live is found where it
    is asked for, and sizes of LLVM's types once. Nobody times LLVM's lock, and
    nothing is made that only C calls. Garbage is looked for seldom meanwhile. Within
    another such block, also one of another thread, it does nothing. SciPy is imported
    by what needs it.
    """
    if not _is_free.acquire(blocking=False):
        yield
        return
    functions: Any = BaseFunction
    usual = functions.get_call_type
    _look_for_blas_late()
    known: dict[Any, tuple[Any, Any, Any]] = {}

    def found(self: Any, context: Any, args: Any, kws: Any) -> Any:
        options = ConfigStack.top_or_none()
        told = None if options is None else repr(options._values)
        key = id(self), id(context), tuple(args), tuple(kws.items()), told
        if key in known:
            sig, form, _ = known[key]
            self._impl_keys[sig.args] = form  # the last one counts
            return sig
        sig = usual(self, context, args, kws)
        known[key] = sig, self._impl_keys[sig.args], (self, context)
        return sig

    instructions: Any = code.Inst
    usual_variables = instructions._rec_list_vars
    functions.get_call_type = found
    instructions._rec_list_vars = _variables_of
    try:
        with (
            rare_collections(),
            _registries_read_once(),
            _lifetimes_found_late(),
            _sizes_found_once(),
            _lock_not_timed(),
            _no_wrappers(),
            _parameters_read_once(),
            _passes_left_out(),
        ):
            yield
    finally:
        functions.get_call_type = usual
        instructions._rec_list_vars = usual_variables
        _is_free.release()


def _look_for_blas_late() -> None:
    """Have numba import SciPy where something is computed with its BLAS.

    It does so before it compiles anything, to know whether it can be imported, which
    takes as long as most kernels. Here it is enough that SciPy is installed.
    """
    if "numba.np.arraymath" in sys.modules:
        return
    from numba.np import linalg

    looked_in: Any = linalg
    usual = looked_in.ensure_blas
    looked_in.ensure_blas = _find_scipy
    try:
        from numba.np import arraymath
    finally:
        looked_in.ensure_blas = usual
    asking: Any = arraymath
    asking.ensure_blas = usual


def _find_scipy() -> None:
    if importlib.util.find_spec("scipy") is None:
        raise ImportError("there is no SciPy")


@contextmanager
def _registries_read_once() -> Iterator[None]:
    """Have this thread look for new forms of functions only where there may be some.

    numba goes through all modules that have some for each function it compiles. There
    are more after an import, and once one of its own forms has registered another:
    code of intrinsics goes into the first registry of a context, whichever that is.
    """
    contexts: list[Any] = [BaseContext, TypingContext]
    usual = [context.refresh for context in contexts]
    # contexts themselves: another one may come to be where one was
    known: dict[Any, tuple[int, ...]] = {}
    thread = threading.get_ident()

    def refresher(refresh: Any) -> Any:
        def refreshed(self: Any) -> None:
            is_ours = threading.get_ident() == thread
            forms = _count_forms(self)  # some may come while others are read
            if not is_ours or known.get(self) != forms:
                refresh(self)
                known[self] = forms

        return refreshed

    for context, refresh in zip(contexts, usual, strict=True):
        context.refresh = refresher(refresh)
    try:
        yield
    finally:
        for context, refresh in zip(contexts, usual, strict=True):
            context.refresh = refresh


@contextmanager
def _lifetimes_found_late() -> Iterator[None]:
    """Have this thread find where variables live for who asks for it.

    numba does so after each of some ten rewritings of a function, and asks after the
    last ones. All of it is for generators, and for code that is not compiled.
    """
    processor: Any = PostProcessor
    usual = processor.run
    thread = threading.get_ident()

    def run(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
        function = self.func_ir
        if function.is_generator or threading.get_ident() != thread:
            usual(self, emit_dels, extend_lifetimes)
            return
        function.blocks = canonicalize_cfg(function.blocks)
        function.variable_lifetime = VariableLifetime(function.blocks)
        function.generator_info = None
        if emit_dels:
            self._insert_var_dels(extend_lifetimes=extend_lifetimes)

    processor.run = run
    try:
        yield
    finally:
        processor.run = usual


@contextmanager
def _sizes_found_once() -> Iterator[None]:
    """Have numba ask LLVM once for the size of a type, which takes a module."""
    context: Any = BaseContext
    names = ("get_abi_sizeof", "get_abi_alignment")
    usual = {name: getattr(context, name) for name in names}
    known: dict[Any, int] = {}

    def finder(name: str) -> Any:
        def found(self: Any, kind: Any) -> int:
            key = name, self.target_data, str(kind)
            if key not in known:
                known[key] = usual[name](self, kind)
            return known[key]

        return found

    for name in names:
        setattr(context, name, finder(name))
    try:
        yield
    finally:
        for name, function in usual.items():
            setattr(context, name, function)


@contextmanager
def _lock_not_timed() -> Iterator[None]:
    """Have llvmlite tell nobody when it takes and leaves its lock, at each call.

    Each of the functions in the midst of which numba is measures it, thirty at once.
    """
    lock = ffi.lib._lock
    told = list(lock._cblist)
    lock._cblist.clear()
    try:
        yield
    finally:
        lock._cblist.extend(told)


@contextmanager
def _parameters_read_once() -> Iterator[None]:
    """Have numba look once at the parameters of what it lowers an operation with."""
    module: Any = base
    usual = module._has_loc
    module._has_loc = cache(usual)
    try:
        yield
    finally:
        module._has_loc = usual


@contextmanager
def _passes_left_out() -> Iterator[None]:
    """Have numba leave out two passes where they find nothing to change.

    One takes inner functions and lists that become arrays to where they are used, one
    joins operations with whole arrays to loops. Both first find where all variables
    live, and most kernels have neither.
    """
    passes: list[Any] = [InlineClosureLikes, NopythonRewrites]
    usual = [one.run_pass for one in passes]

    def shortened(run_pass: Any, has_some: Any) -> Any:
        def run(self: Any, state: Any) -> bool:
            if has_some(state):
                return bool(run_pass(self, state))
            return False

        return run

    conditions = _has_inner_functions, _has_whole_arrays
    for one, run_pass, has_some in zip(passes, usual, conditions, strict=True):
        one.run_pass = shortened(run_pass, has_some)
    try:
        yield
    finally:
        for one, run_pass in zip(passes, usual, strict=True):
            one.run_pass = run_pass


_INLINED = frozenset({"reduce", "stencil"})
"""Names of functions that numba takes to where they are called."""


def _assigned(state: Any) -> Iterator[Any]:
    """Yield the assignments of a function."""
    for block in state.func_ir.blocks.values():
        for instruction in block.body:
            if type(instruction) is code.Assign:
                yield instruction


def _has_inner_functions(state: Any) -> bool:
    """Return True if a function may have what `InlineClosureLikes` looks for."""
    for one in _assigned(state):
        value = one.value
        kind = type(value)
        if kind is code.Expr:
            if value.op in {"make_function", "build_list"} or (
                value.op == "getattr" and value.attr in _INLINED
            ):
                return True
        elif kind is code.Global or kind is code.FreeVar:
            named = getattr(value.value, "__name__", "")
            if named in _INLINED or type(value.value).__name__ == "StencilFunc":
                return True
    return False


def _has_whole_arrays(state: Any) -> bool:
    """Return True if a function may have what numba rewrites once types are known.

    That is an operation or a call that gives an array, a list, and what is named by a
    string.
    """
    kinds = state.typemap
    for one in _assigned(state):
        value = one.value
        if type(value) is code.Expr and (
            value.op == "build_list"
            or (
                value.op in {"unary", "binop", "inplace_binop", "call"}
                and isinstance(kinds[one.target.name], types.Array)
            )
        ):
            return True
    return any(isinstance(kind, types.StringLiteral) for kind in kinds.values())


@contextmanager
def _no_wrappers() -> Iterator[None]:
    """Have numba make none of its functions in Python, ``min`` for one, ready for C.

    Nobody calls them from there, and a wrapper takes longer to compile than most.
    """
    template: Any = _OverloadFunctionTemplate
    usual = template._get_jit_decorator

    def decorator_of(self: Any) -> Any:
        return partial(usual(self), no_cfunc_wrapper=True)

    template._get_jit_decorator = decorator_of
    try:
        yield
    finally:
        template._get_jit_decorator = usual


def _count_forms(context: Any) -> tuple[int, ...]:
    """Return how many modules there are, and forms in each list that a context reads.

    A context for code reads those of its context for types, too.
    """
    types = getattr(context, "typing_context", context)
    read = [*context._registries, *types._registries]
    parts = (part for registry in read for part in vars(registry).values())
    return len(sys.modules), *(len(part) for part in parts if isinstance(part, list))


_parts_of_code: dict[type, int] = {}
_NO_PART, _VARIABLE, _INSTRUCTION, _SEQUENCE, _MAPPING = range(5)


def _add_variables(value: Any, found: list[Any]) -> None:
    """Add the variables of a part of an instruction to a list."""
    kind = _parts_of_code.get(type(value))
    if kind is None:
        kinds = (code.Var, code.Inst, list | tuple, dict)
        fits = [isinstance(value, one) for one in kinds]
        kind = fits.index(True) + 1 if any(fits) else _NO_PART
        _parts_of_code[type(value)] = kind
    if kind == _VARIABLE:
        found.append(value)
    elif kind == _INSTRUCTION:
        found.extend(value.list_vars())
    elif kind != _NO_PART:
        for part in value if kind == _SEQUENCE else value.values():
            _add_variables(part, found)


def _variables_of(_self: Any, value: Any) -> list[Any]:
    """Return what numba's own function does, which takes four times as long."""
    found: list[Any] = []
    _add_variables(value, found)
    return found

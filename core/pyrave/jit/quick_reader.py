"""Machine code that was kept, read and called for the first time, with less work.

All of it works on the inside of numba and changes no machine code, as
`pyrave.jit.quick_compiler` does. Of numba's own reading nine tenths go into the code
that callers of a kernel would link. Nothing calls most kernels but Python.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import binding
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import compile_result
from numba.core.environment import Environment, lookup_environment
from numba.core.types import Array
from numba.np.numpy_support import from_dtype, map_layout

from pyrave.jit.arrays import ELEMENTS

__all__ = ["Unpickler", "rebuilt", "type_finder"]

_ELEMENTS = frozenset(ELEMENTS.values())
_types: dict[tuple[Any, ...], Array] = {}
"""numba's types of arrays by what they depend on."""


class Unpickler(pickle.Unpickler):
    """Reads kept functions, and imports no module for those that they call.

    Of numba's functions some are in modules that import scipy.
    """

    def find_class(self, module: str, name: str) -> Any:
        """Return a class or function of an entry."""
        if name == "_rebuild_env":
            return _environment
        return super().find_class(module, name)


def _environment(module: str, constants: list[Any], name: str) -> Any:
    """Return the environment of a function by its name.

    Machine code takes constants of it; no kernel looks at the globals.
    """
    known = lookup_environment(name)
    if known is not None:
        return known
    imported = sys.modules.get(module)
    made: Any = Environment(vars(imported) if imported else {"__name__": module})
    made.consts[:] = constants
    made.env_name = name
    Environment._memo[name] = made
    return made


class _KeptLibrary(JITCodeLibrary):
    """Machine code, and the code that others link, which is parsed once one does."""

    def __init__(
        self, codegen: Any, name: str, machine_code: bytes, code: bytes
    ) -> None:
        super().__init__(codegen, name)
        self._code = code
        self.enable_object_caching()
        self._set_compiled_object(machine_code)
        self._finalize_final_module()

    def add_symbols(self, names: list[str]) -> None:
        """Have functions found by their names."""
        self._codegen._engine._defined_symbols.update(names)

    def _get_module_for_linking(self) -> Any:
        if self._shared_module is None:
            self._shared_module = binding.parse_bitcode(self._code)
            self._codegen._engine._load_defined_symbols(self._shared_module)
        return self._shared_module


def rebuilt(
    context: Any,
    library: tuple[str, str, tuple[bytes, bytes]],
    function: Any,
    environment: Any,
    signature: Any,
    objectmode: bool,
    lifted: Any,
    types: str,
    reload_init: tuple[Any, ...],
    environments: tuple[Any, ...],
) -> Any:
    """Return the result of compiling, of what numba keeps of it.

    Parameters
    ----------
    context
        numba's target.
    library, function, environment, signature, objectmode, lifted, types
    reload_init, environments
        As numba keeps them; the library is the name, its kind, and the machine code
        with the code that callers link.
    """
    for initialise in reload_init:
        initialise()
    name, _, codes = library
    made = _KeptLibrary(context.codegen(), name, *codes)
    made.add_symbols([function.llvm_func_name, function.llvm_cpython_wrapper_name])
    entry_point = context.get_executable(made, function, environment)
    for one in environments:
        made.codegen.set_env(one.env_name, one)
    return compile_result(
        target_context=context,
        typing_context=context.typing_context,
        library=made,
        environment=environment,
        entry_point=entry_point,
        fndesc=function,
        type_annotation=types,
        signature=signature,
        objectmode=objectmode,
        lifted=lifted,
        reload_init=reload_init,
        referenced_envs=environments,
    )


def type_finder(dispatcher: Any) -> Callable[[Any], Any]:
    """Return a function by which a dispatcher finds the types of its arguments.

    numba asks of each array whether some of its numbers are masked, which imports
    `numpy.ma` with the first.
    """
    usual = dispatcher.typeof_pyval

    def type_of(value: Any) -> Any:
        if type(value) is not np.ndarray:
            return usual(value)
        flags = value.flags
        key = (
            value.dtype,
            value.ndim,
            flags.c_contiguous,
            flags.f_contiguous,
            flags.writeable,
        )
        found = _types.get(key)
        if found is None:
            if not value.dtype.isnative or value.dtype.type not in _ELEMENTS:
                return usual(value)
            found = _types[key] = Array(
                from_dtype(value.dtype),
                value.ndim,
                map_layout(value),
                readonly=not flags.writeable,
            )
        return found

    return type_of

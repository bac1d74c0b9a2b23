"""Compilation of called kernels as parts of others, each optimised once.

numba optimises a function with all that it calls, generates machine code of that, and
hands the result to each caller, which does both again. Of a kernel with calls six deep,
the innermost functions pass through LLVM as often as there are paths to them. Here a
part keeps its intermediate code as it was lowered, and the kernel links all parts and
is optimised as a whole.

This takes numba's code libraries to pieces as numba has them since 0.61.
"""

from __future__ import annotations

from typing import Any

from llvmlite import binding
from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

for _name in (
    "_get_module_for_linking",
    "_optimize_functions",
    "_raise_if_finalized",
    "enable_object_caching",
    "get_pointer_to_function",
):
    if not hasattr(JITCodeLibrary, _name):
        raise ImportError(f"numba's code libraries have no {_name}", name="numba")


class _NoEnvironment:
    """Receiver of a function's environment from numba, if it can raise errors."""

    def set_env(self, _name: str, _environment: Any) -> None:
        """Do without: there is no machine code of a part alone."""


class _Part(JITCodeLibrary):
    """Intermediate code that is not optimised on its own, and not run."""

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout
        for function in module.functions:
            if not function.is_declaration:
                passes, builder = self._codegen._function_pass_manager()
                passes.run(function, builder)

    def finalize(self) -> None:
        """Take no more code."""
        self._raise_if_finalized()
        self._finalized = True

    def get_pointer_to_function(self, _name: str) -> int:
        """Return no address."""
        return 0

    @property
    def codegen(self) -> Any:
        """Stand-in for numba's code generator: functions of a part are not run."""
        return _NoEnvironment()


class _Whole(JITCodeLibrary):
    """Code of a kernel and of its parts, which are optimised together."""

    def finalize(self) -> None:
        """Link the parts, optimise, generate machine code."""
        own = {function.name for function in self._final_module.functions}
        for library in self._libraries():
            self._reload_init.update(library._reload_init)
            module = (
                library._final_module
                if isinstance(library, _Part)
                else library._get_module_for_linking()
            )
            self._final_module.link_in(module, preserve=True)
        for function in self._final_module.functions:
            if (
                not function.is_declaration
                and function.name not in own
                and function.linkage == binding.Linkage.external
            ):
                # where it is inlined everywhere it goes
                function.linkage = binding.Linkage.linkonce_odr
        self._linking_libraries = []
        super().finalize()

    def _libraries(self) -> list[Any]:
        """Return all that is called, each once, parts first.

        LLVM leaves out what numba compiled as shared if nothing refers to it yet.
        """
        found: dict[Any, None] = {}
        todo = list(self._linking_libraries)
        while todo:
            library = todo.pop()
            if library not in found:
                found[library] = None
                if isinstance(library, _Part):
                    todo.extend(library._linking_libraries)
        return sorted(found, key=lambda library: not isinstance(library, _Part))


class _LibraryCompiler(Compiler):
    """numba's compiler, with code libraries of another class."""

    library_class: type[JITCodeLibrary] = JITCodeLibrary

    def compile_extra(self, func: Any) -> Any:
        """Compile a function."""
        library = self.library_class(self.state.targetctx.codegen(), func.__qualname__)
        library.enable_object_caching()
        self.state.library = library
        return super().compile_extra(func)


class PartCompiler(_LibraryCompiler):
    """Compiles functions that only kernels call."""

    library_class = _Part


class WholeCompiler(_LibraryCompiler):
    """Compiles kernels that Python calls."""

    library_class = _Whole


def compiled_once(dispatcher: Any) -> Any:
    """Return a part that numba does not compile again for each literal argument.

    The value gets to where it is used when the whole is optimised.
    """
    template_of = getattr(dispatcher, "get_call_template", None)
    if template_of is not None:  # not so with NUMBA_DISABLE_JIT

        def general(args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
            return template_of(
                tuple(map(types.unliteral, args)),
                {name: types.unliteral(kind) for name, kind in kws.items()},
            )

        dispatcher.get_call_template = general
    return dispatcher

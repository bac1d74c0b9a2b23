"""All that pyrave takes of numba beyond its public interface.

Nothing else does, but `pyrave.jit.quick_compiler` and `pyrave.jit.quick_reader`, which
change no machine code.

`pyproject.toml` has a ceiling on numba because of this module; whoever raises it runs
the tests of `pyrave.jit` and `pyrave.simd` with the new one. It has

* the compilation of called kernels as parts of others, each optimised once;
* the cache of machine code by the content of kernels, wherever their files are;
* arrays that are made of addresses, and calls of addresses (`pyrave.jit.bundles`,
  `pyrave.jit.addresses`);
* the names by which `pyrave.simd.compiled` defines vectors.

Machine code of kernels that use it depends on the text of this file, but for the
sections on the cache and on types of calls.
"""

from __future__ import annotations

import functools
import hashlib
import io
import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from llvmlite import binding, ir
from numba.core import cgutils, types
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.imputils import lower_constant
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.experimental.function_type import lower_constant_dispatcher
from numba.extending import intrinsic

from pyrave.jit.brought_code import BroughtCode, read_brought_code
from pyrave.jit.bundles import COLUMNS
from pyrave.jit.cache import tell_once
from pyrave.jit.cache_entries import (
    SUFFIX,
    DamagedError,
    has_entry,
    read_entry,
    write_entry,
)
from pyrave.jit.measurements import measured
from pyrave.jit.quick_compiler import call_types_found_once

__all__ = [
    "AbstractTemplate",
    "PartCompiler",
    "WholeCompiler",
    "address_of_code",
    "brought_code",
    "cgutils",
    "compiled_once",
    "entry_of",
    "f32_1",
    "f32_3",
    "f64_1",
    "f64_2",
    "f64_3",
    "find_call_types_once",
    "i32_1",
    "i32_2",
    "i64_1",
    "i64_2",
    "infer_global",
    "ir",
    "is_kept",
    "keep_in",
    "process_target",
    "returns_bool",
    "returns_int",
    "signature",
    "u8_1",
]

# -- parts of kernels ------------------------------------------------------------------
#
# numba optimises a function with all that it calls, generates machine code of that, and
# hands the result to each caller, which does both again. Of a kernel with calls six
# deep, the innermost functions pass through LLVM as often as there are paths to them.
# Here a part keeps its intermediate code as it was lowered, and the kernel links all
# parts and is optimised as a whole. This takes numba's code libraries to pieces.


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


@lower_constant(types.Dispatcher)
def _function_constant(context: Any, builder: Any, kind: Any, function: Any) -> Any:
    """Keep no address of a function that parts of a kernel pass on: its code is known.

    Whatever holds addresses numba does not keep for other processes.
    """
    if isinstance(context.active_code_library, _Part | _Whole):
        return context.get_constant_null(kind)
    return lower_constant_dispatcher(context, builder, kind, function)


def compiled_once(dispatcher: Any) -> Any:
    """Return a part that numba does not compile again for each kind of integer.

    The value of a literal gets to where it is used when the whole is optimised. An
    int32 is an int64 in whatever is done with it, but for being passed on.
    """
    template_of = getattr(dispatcher, "get_call_template", None)
    if template_of is not None:  # not so with NUMBA_DISABLE_JIT

        def general(args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
            return template_of(
                tuple(map(_general, args)),
                {name: _general(kind) for name, kind in kws.items()},
            )

        dispatcher.get_call_template = general
    return dispatcher


def _general(kind: Any) -> Any:
    """Return the type for which a part is compiled that is given another one."""
    kind = types.unliteral(kind)
    return types.int64 if kind == types.int32 else kind


# -- the cache -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class KeptCode:
    """The entries of one function. It takes the place of numba's index and data files.

    Parameters
    ----------
    folder
        The part of the user's cache that new entries go to, None if there is none.
    content
        The name of the folder of functions with the same source, in the user's cache
        and in what the package brought.
    name
        Begins the names of their files.
    """

    folder: Path | None
    content: str
    name: str

    def load(self, key: Any) -> Any:
        """Return the cached entry of a key, None if it is missing or unusable."""
        found = None
        if self.folder is not None:
            found = self._read(self.folder, key, installed=False)
        brought = brought_code()
        if found is None and isinstance(brought, BroughtCode):
            key = _for_processor(key, brought)
            found = self._read(brought.folder / self.content, key, installed=True)
        return found

    def _read(self, folder: Path, key: Any, *, installed: bool) -> Any:
        path = self.path(folder, key)
        try:
            content = io.BytesIO(read_entry(path, installed=installed))
            # pickles of this user alone, or of the installed package
            if pickle.load(content) != key:  # noqa: S301
                return None
            from pyrave.jit.quick_reader import Unpickler

            return Unpickler(content).load()
        except FileNotFoundError:
            return None
        except Exception as error:  # noqa: BLE001 - pickles raise anything
            tell_once(
                f"damaged in {folder.parent}",
                f"machine code is compiled again, as {path} cannot be used: {error}. "
                "`pyrave doctor` looks at all that is kept there",
            )
            return None

    def save(self, key: Any, data: Any) -> None:
        """Keep the data of a key, whole or not at all; a warning says why not."""
        if self.folder is None:
            return
        try:
            write_entry(self.path(self.folder, key), dumps(key) + dumps(data))
        except (OSError, DamagedError) as error:
            why = error.strerror if isinstance(error, OSError) else None
            tell_once(
                f"not kept in {self.folder.parent}",
                f"compiled kernels are not kept in {self.folder} ({why or error}); "
                "each process compiles for itself. Mend that, or set PYRAVE_CACHE_DIR",
            )

    def has(self, key: Any) -> bool:
        """Return True if there is an entry of the right length for a key."""
        if self.folder is not None and has_entry(self.path(self.folder, key)):
            return True
        brought = brought_code()
        return isinstance(brought, BroughtCode) and has_entry(
            self.path(brought.folder / self.content, _for_processor(key, brought)),
            installed=True,
        )

    def flush(self) -> None:
        """Forget the user's entries."""
        if self.folder is not None:
            for path in self.folder.glob(f"{self.name}.*{SUFFIX}"):
                path.unlink(missing_ok=True)

    def path(self, folder: Path, key: Any) -> Path:
        """Return the file for a key."""
        digest = hashlib.sha256(repr(key).encode()).hexdigest()
        return folder / f"{self.name}.{digest[:16]}{SUFFIX}"


@functools.cache
def brought_code() -> BroughtCode | str:
    """Return the machine code of the package, or the reason why there is none."""
    return read_brought_code(process_target(), dict(binding.get_host_cpu_features()))


def process_target() -> str:
    """Return LLVM's target of this process."""
    return str(binding.get_process_triple())


def compiled_processor() -> tuple[str, str, str]:
    """Return the processors that this process compiles for, as entries name them."""
    from numba.core.registry import cpu_target

    target, name, features = cpu_target.target_context.codegen().magic_tuple()
    return str(target), str(name), str(features)


def processor_of(path: Path) -> tuple[str, str, str]:
    """Return the processors that an entry of the user's cache was compiled for.

    Raises
    ------
    DamagedError
        It is not what was written.
    OSError
        It cannot be read.
    """
    key = pickle.loads(read_entry(path))  # noqa: S301 - of this user alone
    processor: tuple[str, str, str] = key[1]
    return processor


def _for_processor(key: Any, brought: BroughtCode) -> Any:
    """Return numba's key of the same function for the processors of a package."""
    types_of_arguments, _, code = key
    return types_of_arguments, brought.processor, code


def keep_in(folder: Path | None, content: str, dispatcher: Any, prepare: Any) -> None:
    """Have a dispatcher keep machine code in a folder, by its function's name.

    Parameters
    ----------
    folder
        Only of functions whose source, and that of all they call, is the same. None
        keeps nothing, and reads what the package brought.
    content
        The name that such a folder has.
    prepare
        Called before something is compiled, as it is not kept.
    """
    # an import at the top would change all machine code
    from pyrave.jit.quick_reader import rebuilt

    class Folder(_CacheLocator):
        def __init__(self, function: Any) -> None:
            self._py_file = function.__code__.co_filename  # for numba's warnings

        def get_cache_path(self) -> str:
            return str(folder or content)

        def ensure_cache_path(self) -> None:
            """Make nothing yet: an entry makes its folder."""

        def get_source_stamp(self) -> str:
            """Return nothing of the source: another content has another folder."""
            return ""

        def get_disambiguator(self) -> str:
            """Return nothing: the name of a kernel's function is its alone."""
            return ""

        @classmethod
        def from_function(cls, function: Any, _path: str) -> Folder:
            return cls(function)

    class Implementation(CompileResultCacheImpl):
        _locator_classes: list[Any] = [Folder]  # noqa: RUF012 - as numba has it

        def rebuild(self, target_context: Any, payload: Any) -> Any:
            """Return the kept function, ready to be called."""
            return rebuilt(target_context, *payload)

    class Cache(FunctionCache):
        _impl_class = Implementation

        def __init__(self, function: Any) -> None:
            super().__init__(function)
            self._kept = KeptCode(folder, content, self._impl.filename_base)
            self._cache_file: Any = self._kept

        def load_overload(self, signature: Any, context: Any) -> Any:
            """Return the kept function, or None.

            numba's looks for forms of functions first, and imports a hundred modules
            that may have some; only compiling needs them.
            """
            rtsys.initialize(context)
            found = None
            with self._guard_against_spurious_io_errors():
                found = self._load_overload(signature, context)
            if found is None:
                prepare()
            return found

        def has(self, signature: Any, context: Any) -> bool:
            """Return True if machine code for this processor is kept."""
            return self._kept.has(self._index_key(signature, context.codegen()))

        def path_of(self, signature: Any, context: Any) -> Path | None:
            """Return the user's file of machine code for this processor."""
            key = self._index_key(signature, context.codegen())
            return None if folder is None else self._kept.path(folder, key)

    if hasattr(dispatcher, "enable_caching"):  # not so with NUMBA_DISABLE_JIT
        dispatcher._cache = Cache(dispatcher.py_func)


def entry_of(dispatcher: Any, types_of_arguments: tuple[Any, ...]) -> Path | None:
    """Return the file for machine code (see `keep_in`), None if none is kept."""
    path_of = getattr(dispatcher._cache, "path_of", None)
    found: Path | None = path_of and path_of(types_of_arguments, dispatcher.targetctx)
    return found


def is_kept(dispatcher: Any, types_of_arguments: tuple[Any, ...]) -> bool:
    """Return True if machine code for this processor is kept (see `keep_in`)."""
    has = getattr(dispatcher._cache, "has", None)
    return bool(has and has(types_of_arguments, dispatcher.targetctx))


# -- types of calls --------------------------------------------------------------------


def find_call_types_once(dispatcher: Any) -> Any:
    """Return a dispatcher that finds the types of a call once while it compiles."""
    usual = getattr(dispatcher, "compile", None)
    if usual is not None:  # not so with NUMBA_DISABLE_JIT
        from pyrave.jit.quick_reader import type_finder

        dispatcher.typeof_pyval = type_finder(dispatcher)

        def compiled(sig: Any) -> Any:
            if isinstance(sig, tuple) and is_kept(dispatcher, sig):
                return usual(sig)
            place = entry_of(dispatcher, sig) if isinstance(sig, tuple) else None
            with measured(dispatcher, place), call_types_found_once():
                return usual(sig)

        dispatcher.compile = compiled
    return dispatcher


# -- arrays and functions by their addresses -------------------------------------------


def _accessor(element: Any, rank: int) -> Any:
    """Return the function of a bundle and a number that gives an array."""
    kind = types.Array(element, rank, "C")
    size = element.bitwidth // 8

    @intrinsic
    def array_of(_typing: Any, table: Any, k: Any) -> Any:
        def build(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            # those who only read machine code do not wait for this import
            from numba.np.arrayobj import make_array, populate_array

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


def _caller(result: Any) -> Any:
    """Return what calls compiled functions with such a result that raise nothing."""

    @intrinsic
    def call(_typing: Any, address: Any, *args: Any) -> Any:
        given = types.StarArgTuple(args) if args else types.StarArgTuple(())

        def build(context: Any, builder: Any, sig: Any, values: Any) -> Any:
            kinds = list(sig.args[1].types)
            passed = cgutils.unpack_tuple(builder, values[1], len(kinds))
            kind = context.call_conv.get_function_type(result, kinds)
            callee = builder.inttoptr(values[0], ir.PointerType(kind))
            _, found = context.call_conv.call_function(
                builder, callee, result, kinds, passed
            )
            return found

        return result(address, given), build

    return call


returns_bool = _caller(types.boolean)
returns_int = _caller(types.int64)


def address_of_code(dispatcher: Any) -> int:
    """Return where the machine code of a function begins that has one form."""
    (form,) = dispatcher.overloads.values()
    return int(form.library.get_pointer_to_function(form.fndesc.llvm_func_name))

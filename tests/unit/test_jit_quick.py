"""What makes compiling quick: the same machine code, and numba as it was afterwards."""

from __future__ import annotations

import contextlib
import gc
import operator
import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from numba import types as numba_types
from numba.core.types.functions import BaseFunction

from pyrave._collector import rare_collections
from pyrave.jit import compiler


def _counted_products(compile_it):
    """Return how often numba looks for the type of a product, and a kernel's result."""

    def kernel(x):
        return x * x + x * 2.0 + (x * x) * x

    function = numba.njit(kernel)
    asked = []
    usual = BaseFunction.get_call_type

    def counting(self, context, args, kws):
        if self.key[0] is operator.mul:
            asked.append((args, kws))
        return usual(self, context, args, kws)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BaseFunction, "get_call_type", counting)
        with compile_it():
            function.compile((numba.types.float64,))
        assert BaseFunction.get_call_type is counting, "numba is as it was"
    return len(asked), function(3.0)


def test_types_of_a_call_are_looked_for_once():
    from pyrave.jit.quick_compiler import call_types_found_once

    usual, found = _counted_products(contextlib.nullcontext)
    once, same = _counted_products(call_types_found_once)
    assert once == 1 < usual
    assert same == found == 42.0


def test_registries_are_read_again_only_after_an_import(monkeypatch):
    import types

    from numba.core.registry import cpu_target
    from numba.core.typing.context import BaseContext

    from pyrave.jit.quick_compiler import call_types_found_once

    read = []
    monkeypatch.setattr(BaseContext, "refresh", read.append)
    counting = BaseContext.refresh
    with call_types_found_once():
        for _ in range(3):
            cpu_target.typing_context.refresh()
        assert len(read) == 1
        monkeypatch.setitem(sys.modules, "may_have_forms", types.ModuleType("m"))
        cpu_target.typing_context.refresh()
    assert len(read) == 2
    assert BaseContext.refresh is counting, "numba is as it was"


def test_forms_are_read_that_come_while_others_are_and_while_a_module_goes(monkeypatch):
    import sys
    import types

    from numba.core.base import BaseContext
    from numba.core.imputils import builtin_registry
    from numba.core.registry import cpu_target

    from pyrave.jit.quick_compiler import call_types_found_once

    forms, read = [*builtin_registry.functions], []
    monkeypatch.setattr(builtin_registry, "functions", forms)
    monkeypatch.setitem(sys.modules, "goes", types.ModuleType("goes"))

    def refresh(_context):
        read.append(len(forms))
        if len(read) == 1:
            forms.append(None)

    monkeypatch.setattr(BaseContext, "refresh", refresh)
    with call_types_found_once():
        cpu_target.target_context.refresh()
        cpu_target.target_context.refresh()
        assert read[1:] == [len(forms)]
        forms.append(None)
        del sys.modules["goes"]
        cpu_target.target_context.refresh()
        assert read[2:] == [len(forms)]


def test_forms_are_read_that_come_to_any_registry_of_a_context(monkeypatch):
    """numba puts code of intrinsics into the first one, which is none of its own."""
    from numba.core.base import BaseContext
    from numba.core.registry import cpu_target

    from pyrave.jit.quick_compiler import call_types_found_once

    context, read = cpu_target.target_context, []
    context.refresh()
    monkeypatch.setattr(BaseContext, "refresh", read.append)
    registries = [*context._registries, *context.typing_context._registries]
    assert len(registries) > 10
    with call_types_found_once():
        context.refresh()
        for number, registry in enumerate(registries, 2):
            forms = next(one for one in vars(registry).values() if type(one) is list)
            forms.append(None)
            try:
                context.refresh()
            finally:
                forms.pop()
            assert len(read) == number


def test_a_context_in_the_place_of_one_that_is_gone_is_read(monkeypatch):
    import copy

    from numba.core.registry import cpu_target
    from numba.core.typing.context import BaseContext

    from pyrave.jit.quick_compiler import call_types_found_once

    read = []
    monkeypatch.setattr(BaseContext, "refresh", lambda _context: read.append(None))
    with call_types_found_once():
        for _ in range(9):
            copy.copy(cpu_target.typing_context).refresh()
    assert len(read) == 9


def test_forms_that_are_registered_while_a_kernel_is_compiled_are_found():
    """As numba does itself when it compiles sorting, or the largest of a tuple."""
    from numba.core.registry import cpu_target
    from numba.extending import overload, register_jitable

    from pyrave.jit.quick_compiler import call_types_found_once

    def doubled(x):
        raise NotImplementedError

    with call_types_found_once():
        cpu_target.target_context.refresh()

        @overload(doubled)
        def form(_x):
            @register_jitable
            def twice(x):
                return 2 * x

            def through(_x):
                return twice(_x)

            return through

        @numba.njit
        def kernel(x):
            return doubled(x)

        kernel.compile((numba.types.int64,))
    assert kernel(4) == 8


def test_variables_of_instructions_are_those_that_numba_lists():
    from numba.core import ir
    from numba.core.compiler import run_frontend

    from pyrave.jit.quick_compiler import call_types_found_once

    def function(a, b):
        total = 0
        for x in (a, b, *a):
            total += {"x": [x, b]}["x"][0]
        return total

    def listed():
        return [
            [variable.name for variable in statement.list_vars()]
            for block in code.blocks.values()
            for statement in block.body
        ]

    code = run_frontend(function)
    usual, own = listed(), ir.Inst._rec_list_vars
    with call_types_found_once():
        assert ir.Inst._rec_list_vars is not own
        assert listed() == usual
    assert ir.Inst._rec_list_vars is own


def test_types_of_calls_are_found_anew_for_other_options():
    """The product of floats within a function of fast mathematics is another form."""
    from numba.core.compiler import Flags
    from numba.core.registry import cpu_target
    from numba.core.targetconfig import ConfigStack

    from pyrave.jit.quick_compiler import call_types_found_once

    context = cpu_target.typing_context
    context.refresh()
    product = context.resolve_value_type(operator.mul)
    kinds = (numba_types.float64, numba_types.float64)
    asked = []
    usual = BaseFunction.get_call_type

    def counting(self, context, args, kws):
        asked.append(args)
        return usual(self, context, args, kws)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BaseFunction, "get_call_type", counting)
        with call_types_found_once():
            for fast in (False, True, False, True):
                flags = Flags()
                flags.fastmath = fast
                with ConfigStack().enter(flags):
                    found = product.get_call_type(context, kinds, {})
                assert found.return_type == numba_types.float64
            product.get_call_type(context, (numba_types.int64,) * 2, {})
    assert len(asked) == 3


def test_the_collector_is_asked_seldom_while_a_kernel_is_compiled():
    before = gc.get_threshold()
    with rare_collections():
        assert gc.get_threshold()[0] == max(before[0], 50_000)
    assert gc.get_threshold() == before
    with pytest.raises(RuntimeError), rare_collections():
        raise RuntimeError
    assert gc.get_threshold() == before


def test_what_changes_no_machine_code_compiles_nothing_again(tmp_path):
    path = tmp_path / "internals.py"
    path.write_text("a\n# -- the cache ----\nb\n# -- arrays and so on ----\nc\n")
    assert compiler._text_of_code(path) == b"a\narrays and so on ----\nc\n"
    known = compiler._text_of_code(
        Path(compiler.__file__).with_name("numba_internals.py")
    )
    assert b"class _Part" in known
    assert b"returns_bool = " in known
    assert b"class KeptCode" not in known
    assert b"def find_call_types_once" not in known


def test_what_is_compiled_at_its_first_call_finds_types_once_with_what_it_calls():
    from pyrave.jit import KernelModule
    from pyrave.jit.numba_internals import find_call_types_once

    def square(x):
        return x * x + (x * x) * x

    inner = find_call_types_once(numba.njit(square))

    def twice(x):
        return inner(x) * 2.0 + x * x

    outer = find_call_types_once(numba.njit(twice))
    asked = []
    usual = BaseFunction.get_call_type

    def counting(self, context, args, kws):
        if self.key[0] is operator.mul:
            asked.append((args, kws))
        return usual(self, context, args, kws)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BaseFunction, "get_call_type", counting)
        assert outer(3.0) == 2 * 36.0 + 9.0
        assert BaseFunction.get_call_type is counting, "numba is as it was"
    assert len(asked) <= 2  # once for the options of each, of five products
    kernels = KernelModule("pyrave.kinematics.kernels.limits").jit
    functions = [getattr(kernels, name) for name in kernels.functions]
    assert functions
    assert all("compile" in vars(one) for one in functions)


def test_lifetimes_are_found_for_who_asks_and_deletions_are_the_same(monkeypatch):
    from numba.core import postproc
    from numba.core.compiler import run_frontend

    from pyrave.jit.quick_compiler import call_types_found_once

    def function(a, b):
        total = a
        while total < b:
            total = total + (a if a > 1 else b)
        return total

    def steps():
        yield 1

    asked = []
    usual = postproc.VariableLifetime.deadmaps.func

    def counting(self):
        asked.append(self)
        return usual(self)

    monkeypatch.setattr(postproc.VariableLifetime, "deadmaps", property(counting))
    own = postproc.PostProcessor.run
    expected = run_frontend(function, emit_dels=True).dump_to_string()
    asked.clear()
    with call_types_found_once():
        code = run_frontend(function)
        assert not asked
        assert code.variable_lifetime.livemap
        assert run_frontend(function, emit_dels=True).dump_to_string() == expected
        assert asked
        assert run_frontend(steps).generator_info.yield_points
    assert postproc.PostProcessor.run is own


def test_llvm_is_asked_once_for_the_size_of_a_type_and_its_lock_tells_nobody():
    from llvmlite import ir
    from llvmlite.binding import ffi
    from numba.core.base import BaseContext
    from numba.core.registry import cpu_target

    from pyrave.jit.quick_compiler import call_types_found_once

    context = cpu_target.target_context
    kind = ir.LiteralStructType([ir.DoubleType(), ir.IntType(8)])
    asked = []
    own = BaseContext.get_abi_sizeof, BaseContext.get_abi_alignment

    def counting(self, *args):
        asked.append(self)
        return usual(self, *args)

    usual = ir.types.Type._get_ll_global_value_type
    told, listener = [], (lambda: told.append("in"), lambda: told.append("out"))
    ffi.register_lock_callback(*listener)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ir.types.Type, "_get_ll_global_value_type", counting)
        with call_types_found_once():
            told.clear()
            assert [context.get_abi_sizeof(kind) for _ in range(3)] == [16] * 3
            assert [context.get_abi_alignment(kind) for _ in range(3)] == [8] * 3
            assert not told
    assert len(asked) == 2
    assert own == (BaseContext.get_abi_sizeof, BaseContext.get_abi_alignment)
    context.get_abi_sizeof(kind)
    assert told
    ffi.unregister_lock_callback(*listener)


def test_functions_of_numba_have_no_wrappers_that_only_c_calls(monkeypatch):
    from numba.core.cpu import CPUContext
    from numba.core.typing.templates import _OverloadFunctionTemplate
    from numba.extending import overload

    from pyrave.jit.numba_internals import find_call_types_once

    def third(x):
        raise NotImplementedError

    @overload(third)
    def _third(_x):
        return lambda _x: _x / 3.0

    made = []
    usual = CPUContext.create_cfunc_wrapper

    def counting(self, library, fndesc, *args):
        made.append(fndesc.qualname)
        return usual(self, library, fndesc, *args)

    monkeypatch.setattr(CPUContext, "create_cfunc_wrapper", counting)
    own = _OverloadFunctionTemplate._get_jit_decorator
    options = {"no_cfunc_wrapper": True}
    function = find_call_types_once(numba.njit(lambda x: third(x) + 1.0, **options))
    assert function(6.0) == 3.0
    assert not made
    assert _OverloadFunctionTemplate._get_jit_decorator is own
    assert numba.njit(lambda x: third(x) + 2.0)(6.0) == 4.0
    assert len(made) == 2, "numba makes those of others as ever"


def test_parts_are_compiled_once_for_all_kinds_of_integers():
    from pyrave.jit.numba_internals import compiled_once

    def doubled(k, x):
        return (k + k) * x

    part = compiled_once(numba.njit(doubled))

    @numba.njit
    def kernel(rows, flags):
        return (
            part(rows[0], 1.0)
            + part(rows.shape[0], 1.0)
            + part(3, 1.0)
            + part(flags[0], 1.0)
        )

    rows, flags = np.array([2**31 - 1], np.int32), np.array([255], np.uint8)
    assert kernel(rows, flags) == 2.0 * (2**31 - 1) + 2.0 + 6.0 + 510.0
    assert {one[0] for one in part.signatures} == {numba.int64, numba.uint8}


def test_parameters_of_what_lowers_an_operation_are_read_once(monkeypatch):
    from numba.core import base

    from pyrave.jit.quick_compiler import call_types_found_once

    asked = []

    def reading(function):
        asked.append(function)
        return False

    monkeypatch.setattr(base, "_has_loc", reading)
    with call_types_found_once():
        for _ in range(3):
            assert not base._has_loc(len)
    assert asked == [len]
    assert base._has_loc is reading


def test_scipy_is_imported_by_what_needs_it_alone():
    pytest.importorskip("scipy")
    script = (
        "import sys\nimport numba\nimport numpy as np\n"
        "from pyrave.jit.quick_compiler import call_types_found_once\n"
        "with call_types_found_once():\n"
        "    numba.njit(lambda x: x + 1.0).compile((numba.types.float64,))\n"
        "print('scipy.linalg' in sys.modules)\n"
        "print(numba.njit(lambda a: a @ a)(2.0 * np.eye(2))[0, 0])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout.split() == ["False", "4.0"]


def test_there_need_be_no_scipy(monkeypatch):
    from pyrave.jit import quick_compiler

    monkeypatch.setattr(quick_compiler.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(ImportError, match="no SciPy"):
        quick_compiler._find_scipy()


def _plain(x):
    total = 0.0
    for i in range(len(x)):
        total += max(x[i], 0.0)
    return total


def _with_inner_function(x):
    def twice(value):
        return 2.0 * value

    return twice(x[0]) + x[1] + x[2] - x[0]


def _with_list(x):
    return np.array([x[0], x[1] + x[2]]).sum()


def _with_whole_arrays(x):
    return (x + 0.0 * x).sum()


@pytest.mark.parametrize(
    ("written", "needed"),
    [
        (_plain, set()),
        (_with_inner_function, {"inline_closure_likes"}),
        (_with_list, {"inline_closure_likes", "nopython_rewrites"}),
        (_with_whole_arrays, {"nopython_rewrites"}),
    ],
)
def test_passes_are_left_out_where_they_find_nothing(written, needed, monkeypatch):
    from numba.core.typed_passes import NopythonRewrites
    from numba.core.untyped_passes import InlineClosureLikes

    from pyrave.jit.quick_compiler import call_types_found_once

    run = set()
    passes = InlineClosureLikes, NopythonRewrites
    for one in passes:

        def counted(self, state, usual=one.run_pass):
            if state.func_id.func is written:
                run.add(self.name())
            return usual(self, state)

        monkeypatch.setattr(one, "run_pass", counted)
    counting = [one.run_pass for one in passes]
    kernel = numba.njit(written)
    with call_types_found_once():
        kernel.compile((numba.types.float64[::1],))
    assert run == needed
    assert kernel(np.array([1.0, 2.0, 4.0])) == 7.0
    assert [one.run_pass for one in passes] == counting, "numba is as it was"

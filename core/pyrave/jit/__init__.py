"""Numba on demand: kernels are plain functions, compiled once per machine.

A kernel module (one of a package named ``kernels``) holds plain numeric functions that
call each other. Importing it costs nothing. A `Kernel` is one of them, for the types
that its annotations name (`pyrave.jit.arrays`). Its first calls run in the interpreter;
once they have been asked for so often that compiling pays, numba compiles it, or the
machine code of earlier processes is read from the cache folder. From then on there is
nothing between a call and machine code. `KernelModule` has the functions that take
arrays of many kinds.

A kernel module can be a *functor*: what it imports from one kernel module may be taken
from another that has functions of the same names (`substitutes`). So code that is
shared is written once, and each form of it compiles only what it needs.

What a kernel has from `pyrave.simd` becomes one machine operation each. Such kernels
take long to compile, and callers have another one that does without.

A kernel module may add options of numba's ``njit`` in a constant ``JIT_OPTIONS``, by
name of the function, and ``*`` for all. A constant ``JIT_ENTRIES`` names the functions
that Python calls. All other functions of that module are then compiled as parts of
these: with no face to Python, and not kept alone. (numba
compiles a function again for each literal that it is called with, and for int32 and
int64, except parts of kernels that are compiled as a `whole`. An ``int()`` around it
prevents that.) A
constant ``JIT_NO_ARRAYS`` names functions that neither make nor return arrays, though
they may make views of arguments, or says ``*``, which means all: they count no
references, each of which takes an atomic operation. numba refuses such a function that
makes an array.

What takes long to compile is compiled in another process (`pyrave.jit.background`).
Meanwhile it is interpreted, or the caller uses another kernel. A constant
``INTERPRETED`` is False in the compiled form, from which numba leaves out what stands
behind it. Where it is true a function does with whole arrays what loops are compiled
for, to the same bits, so that what is small or rare waits for no compiler; or, if it
takes long, it calls `give_way` now and then, which ends it when there is machine code,
or after the seconds that its caller gives it (`interpreted_for`).
With ``PYRAVE_COMPILE=foreground`` the process itself compiles everything; with
``PYRAVE_COMPILE=session`` no other process goes on compiling after it.

The cache folder is ``PYRAVE_CACHE_DIR`` or the user's cache folder. Its subfolder is
named by numba's version and a digest of what the kernels do, so that versions of
pyrave do not disturb each other. Comments and docstrings are no part of it.
"""

from pyrave.jit.cache import cache_directory, distrust_status
from pyrave.jit.kernel import (
    Kernel,
    KernelModule,
    TakesLongError,
    eager,
    give_way,
    interpreted_for,
)
from pyrave.jit.progress import seconds_compiled

__all__ = [
    "Kernel",
    "KernelModule",
    "TakesLongError",
    "cache_directory",
    "distrust_status",
    "eager",
    "give_way",
    "interpreted_for",
    "seconds_compiled",
]

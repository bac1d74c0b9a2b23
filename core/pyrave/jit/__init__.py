"""Numba on demand: kernels are plain functions, compiled once per machine.

A kernel module (one of a package named ``kernels``) holds plain numeric functions that
call each other. Importing it costs nothing. `KernelModule` offers them in two forms:
`python` runs them in the interpreter, `jit` compiles them with numba and reads the
machine code of earlier processes from the cache folder. `auto` gives the Python form
until the module has been asked for often enough that compiling pays. `TypedKernel` is
one function for arrays of known ranks, with nothing between a call and machine code.

A kernel module can be a *functor*: what it imports from one kernel module may be taken
from another that has functions of the same names (`KernelModule`'s `substitutes`). So
code that is shared is written once, and each form of it compiles only what it needs.

What a kernel has from `pyrave.simd` becomes one machine operation each. There may be a
numba that cannot do that: callers of such kernels have a `DeferredKernel` and another
one that does without.

A kernel module may add options of numba's ``njit`` in a constant ``JIT_OPTIONS``, by
name of the function, and ``*`` for all. A constant ``JIT_ENTRIES`` names the functions
that Python calls. If compiling one takes long, it says in words what is compiled and
the rough number of seconds, for the log, else None. All other functions of that module
are then compiled as parts of these: with no face to Python, and not kept alone. (numba
compiles a function again for each literal that it is called with, except parts of
kernels that are compiled as a `whole`. An ``int()`` around it prevents that.) A
constant ``JIT_NO_ARRAYS`` names functions that neither make nor return arrays, though
they may make views of arguments, or says ``*``, which means all: they count no
references, each of which takes an atomic operation. numba refuses such a function that
makes an array.

What takes long to compile is compiled in another process (`pyrave.jit.background`):
`TypedKernel` interprets meanwhile, the caller of a `DeferredKernel` uses another one. A
constant ``INTERPRETED`` is False in the compiled form; where it is true a function that
takes long calls `give_way` now and then, which ends it when there is machine code.
With ``PYRAVE_COMPILE=foreground`` the process itself compiles everything; with
``PYRAVE_COMPILE=session`` no other process goes on compiling after it.

The cache folder is ``PYRAVE_CACHE_DIR`` or the user's cache folder. Its subfolder is
named by a digest of the kernel sources and numba's version, so that versions of
pyrave do not disturb each other.
"""

from pyrave.jit.cache import cache_directory, distrust_status
from pyrave.jit.deferred import DeferredKernel
from pyrave.jit.modules import KernelModule, eager
from pyrave.jit.progress import seconds_compiled
from pyrave.jit.typed import TakesLongError, TypedKernel, give_way

__all__ = [
    "DeferredKernel",
    "KernelModule",
    "TakesLongError",
    "TypedKernel",
    "cache_directory",
    "distrust_status",
    "eager",
    "give_way",
    "seconds_compiled",
]

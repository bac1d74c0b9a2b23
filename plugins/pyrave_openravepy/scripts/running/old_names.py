"""Names of modules that Python 3 or numpy have no more, and what does the same."""

from __future__ import annotations

import collections.abc
import functools
import importlib
import itertools
import math
import operator
import pickle
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from pyrave_openravepy.scripts.python2 import python2_divide
from pyrave_openravepy.scripts.running.old_files import AS_TEXT, text_lines
from pyrave_openravepy.scripts.running.prompts import shell_names

__all__ = ["RENAMED", "old_names"]

RENAMED = {
    "__builtin__": "builtins",
    "ConfigParser": "configparser",
    "Cookie": "http.cookies",
    "HTMLParser": "html.parser",
    "Queue": "queue",
    "SimpleXMLRPCServer": "xmlrpc.server",
    "SocketServer": "socketserver",
    "StringIO": "io",
    "Tkinter": "tkinter",
    "anydbm": "dbm",
    "cPickle": "pickle",
    "cStringIO": "io",
    "commands": "subprocess",
    "cookielib": "http.cookiejar",
    "copy_reg": "copyreg",
    "dummy_thread": "_thread",
    "exceptions": "builtins",
    "httplib": "http.client",
    "sets": "builtins",
    "thread": "_thread",
    "tkFileDialog": "tkinter.filedialog",
    "tkMessageBox": "tkinter.messagebox",
    "urllib2": "urllib.request",
    "urlparse": "urllib.parse",
    "xmlrpclib": "xmlrpc.client",
}
"""Python 2's name of a module, and today's."""


def old_names(module: ModuleType, *, converted: bool) -> Mapping[str, Any]:
    """Return names that a module had, with what stands for them now.

    Parameters
    ----------
    module
        The module.
    converted
        Whether the script was Python 2, where some names did something else.
    """
    tables = (_MAKERS, _MAKERS_OF_PYTHON2) if converted else (_MAKERS,)
    made: dict[str, Any] = {}
    for table in tables:
        if module.__name__ in table:
            made |= table[module.__name__](module)
    return made


def _renamed(table: str, module: ModuleType) -> dict[str, Any]:
    """Return the values of ``old=new`` words, those that there are."""
    pairs = (word.split("=") for word in table.split())
    return {old: getattr(module, new) for old, new in pairs if hasattr(module, new)}


_NUMPY = """
    product=prod cumproduct=cumprod sometrue=any alltrue=all float_=float64
    complex_=complex128 cfloat=complex128 singlecomplex=complex64 longfloat=longdouble
    Inf=inf Infinity=inf infty=inf PINF=inf NaN=nan round_=round string_=bytes_
    unicode_=str_ str0=str_ bytes0=bytes_ object0=object_ bool8=bool_ int0=intp
    uint0=uintp mat=asmatrix trapz=trapezoid row_stack=vstack rank=ndim
"""


def _numpy(numpy: ModuleType) -> dict[str, Any]:
    np: Any = numpy
    return {
        **_renamed(_NUMPY, numpy),
        # aliases of the builtins until numpy 1.20
        "bool": bool, "complex": complex, "float": float, "int": int, "long": int,
        "object": object, "str": str, "unicode": str,
        "NINF": -math.inf, "PZERO": 0.0, "NZERO": -0.0,
        "alen": len,
        "asfarray": lambda a, dtype=float: np.asarray(a, dtype=dtype),
        "asscalar": lambda a: a.item(),
        "in1d": lambda a, b, **named: np.isin(np.ravel(a), b, **named),
        "loads": pickle.loads,
        "math": math,
        "msort": lambda a: np.sort(a, axis=0),
    }  # fmt: skip


_TEXT = (
    "capitalize center count expandtabs find index ljust lower lstrip replace rfind "
    "rindex rjust rstrip split splitlines strip swapcase title translate upper zfill"
)


def _string(string: ModuleType) -> dict[str, Any]:
    def join(words: Any, separator: str = " ") -> str:
        return separator.join(words)

    methods: dict[str, Any] = {name: getattr(str, name) for name in _TEXT.split()}
    return {
        **methods,
        **_renamed(
            "letters=ascii_letters lowercase=ascii_lowercase uppercase=ascii_uppercase",
            string,
        ),
        "atof": float, "atoi": int, "atol": int,
        "join": join, "joinfields": join, "splitfields": str.split,
        "maketrans": str.maketrans,
    }  # fmt: skip


def _pickle(module: ModuleType) -> dict[str, Any]:
    """Return functions that take files opened as text, as those of Python 2 did."""
    old: Any = module

    def dump(thing: Any, file: Any, *arguments: Any, **named: Any) -> None:
        old.dump(thing, getattr(file, "buffer", file), *arguments, **named)

    def load(file: Any, **named: Any) -> Any:
        return old.load(getattr(file, "buffer", file), **_latin(named))

    def loads(data: Any, **named: Any) -> Any:
        text = data.encode("latin-1") if isinstance(data, str) else data
        return old.loads(text, **_latin(named))

    return {"dump": dump, "load": load, "loads": loads}


def _latin(named: dict[str, Any]) -> dict[str, Any]:
    # how arrays that Python 2 wrote are read
    return {"encoding": "latin1", **named}


def _sys(_module: ModuleType) -> dict[str, Any]:
    return {
        "maxint": sys.maxsize,
        "setdefaultencoding": lambda _name: None,
        "exc_clear": lambda: None,
    }


def _time(module: ModuleType) -> dict[str, Any]:
    return _renamed("clock=process_time", module)


def _inspect(module: ModuleType) -> dict[str, Any]:
    full: Any = module

    def getargspec(function: Any) -> tuple[Any, ...]:
        return tuple(full.getfullargspec(function)[:4])

    return {"getargspec": getargspec}


def _builtins(_module: ModuleType) -> dict[str, Any]:
    # `sets` and `exceptions` are here, too
    return {"Set": set, "ImmutableSet": frozenset, "StandardError": Exception}


def _types(_module: ModuleType) -> dict[str, Any]:
    named = {
        "BooleanType": bool, "ClassType": type, "ComplexType": complex,
        "DictType": dict, "DictionaryType": dict, "FloatType": float,
        "InstanceType": object, "IntType": int, "ListType": list, "LongType": int,
        "NoneType": type(None), "ObjectType": object, "SliceType": slice,
        "StringType": str, "TupleType": tuple, "TypeType": type, "UnicodeType": str,
    }  # fmt: skip
    return {**named, "StringTypes": (str,)}


def _operator(_module: ModuleType) -> dict[str, Any]:
    return {
        "div": python2_divide,
        "isCallable": callable,
        "isSequenceType": lambda one: isinstance(one, collections.abc.Sequence),
        "isMappingType": lambda one: isinstance(one, collections.abc.Mapping),
        "isNumberType": lambda one: isinstance(one, (int, float, complex)),
        "sequenceIncludes": operator.contains,
    }


def _itertools(_module: ModuleType) -> dict[str, Any]:
    return {
        "izip": zip, "imap": map, "ifilter": filter,
        "izip_longest": itertools.zip_longest, "ifilterfalse": itertools.filterfalse,
    }  # fmt: skip


def _collections(_module: ModuleType) -> dict[str, Any]:
    return {name: getattr(collections.abc, name) for name in collections.abc.__all__}


def _csv(module: ModuleType) -> dict[str, Any]:
    """Return readers of files that were opened as bytes, as Python 2 asks for."""
    old: Any = module

    class DictReader(old.DictReader):  # type: ignore[misc]
        def __init__(self, lines: Any, *args: Any, **named: Any) -> None:
            super().__init__(text_lines(lines), *args, **named)

    def reader(lines: Any, *args: Any, **named: Any) -> Any:
        return old.reader(text_lines(lines), *args, **named)

    return {"DictReader": DictReader, "reader": reader}


def _subprocess(module: ModuleType) -> dict[str, Any]:
    """Return calls of programs whose output is text."""
    old: Any = module
    choices = {"encoding", "errors", "text", "universal_newlines"}

    def textual(named: dict[str, Any]) -> dict[str, Any]:
        return named if choices & named.keys() else {**named, **AS_TEXT}

    class Popen(old.Popen):  # type: ignore[misc]
        def __init__(self, *args: Any, **named: Any) -> None:
            super().__init__(*args, **textual(named))

    def check_output(*args: Any, **named: Any) -> Any:
        return old.check_output(*args, **textual(named))

    return {"Popen": Popen, "check_output": check_output}


def _urllib(_module: ModuleType) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in ("parse", "request"):
        part = importlib.import_module(f"urllib.{name}")
        found |= {one: getattr(part, one) for one in part.__all__}
    return found


_MAKERS: dict[str, Callable[[ModuleType], dict[str, Any]]] = {
    "numpy": _numpy,
    "string": _string,
    "pickle": _pickle,
    "sys": _sys,
    "time": _time,
    "inspect": _inspect,
    "builtins": _builtins,
    "types": _types,
    "operator": _operator,
    "itertools": _itertools,
    "collections": _collections,
    "urllib": _urllib,
    "os": lambda module: _renamed("getcwdu=getcwd", module),
    "fractions": lambda _module: {"gcd": math.gcd},
    "functools": lambda _module: {"reduce": functools.reduce},
    "IPython": lambda _module: shell_names(),
    "IPython.terminal.embed": lambda _module: shell_names(),
}
# what Python 3 has, too, and does otherwise
_MAKERS_OF_PYTHON2: dict[str, Callable[[ModuleType], dict[str, Any]]] = {
    "csv": _csv,
    "subprocess": _subprocess,
}

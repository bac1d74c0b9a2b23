"""Attribute errors of public objects, which suggest the nearest name.

A name that is mistyped would be kept by Python, and nothing would happen. Where one is
read, Python's own message names no other, except at the end of a program.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, SupportsIndex, TypeVar

from pyrave.cards import offered_names, unlisted_names
from pyrave.errors import AttributeNameError, NotSupportedError, did_you_mean
from pyrave.openrave_names import names_of, openrave_hint

Kind = TypeVar("Kind", bound=type[Any])

_MISSING: Any = object()
put = object.__setattr__
"""Sets an attribute of a `Closed` object unchecked, in a third of the time.

For constructors of what there is much of; `setters` is for slots.
"""


class Closed:
    """Base of public objects: assignment to unknown attributes is an error.

    It has the names of its class, those annotated there, those with a leading
    underscore, and what methods of its own set, constructors for example. Of each class
    they are found out once.
    """

    __slots__ = ()

    _settable: ClassVar[set[str]] = set()
    _is_part: ClassVar[bool] = False
    """True of a class whose objects group names of the one that they belong to."""
    _carries: ClassVar[str] = ""
    """The property with the object whose names are looked for here, too."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls._settable = set()

    # type checkers would let pass any name
    if not TYPE_CHECKING:

        def __setattr__(self, name: str, value: Any) -> None:
            if name not in self._settable:
                _admit(self, name, value)
            put(self, name, value)

    def __dir__(self) -> list[str]:
        return offered_names(self)


class TellsNames:
    """Base of results: an attribute that is not there is told the nearest name.

    Each attribute is read some 0.03 us more slowly for that. Bodies and their parts,
    which are asked most, have no such base.
    """

    __slots__ = ()

    # type checkers would let pass any name
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            # Python and NumPy ask for many that few have
            if name[:1] == "_":
                raise AttributeError(
                    f"{type(self).__name__} has no attribute {name!r}",
                    name=name,
                    obj=self,
                )
            # a property may have raised
            if _of_class(type(self), name) is not _MISSING:
                return object.__getattribute__(self, name)
            raise AttributeNameError(_refusal(self, name), name)


def not_alone(self: object, _protocol: SupportsIndex, /) -> NoReturn:
    """Refuse to be copied or pickled: the ``__reduce_ex__`` of what lives in a scene.

    A copy would share half of its state with the original, or take all of the scene
    along without being in it.
    """
    raise NotSupportedError(
        f"{self!r} is not copied or pickled alone: it is part of its environment; copy "
        "or pickle that (env.clone(), pickle.dumps(env)), and look for it there by name"
    )


class ClosedView(Closed):
    """A light view of a body's model and state."""

    __slots__ = ("_user_data",)
    __reduce_ex__ = not_alone
    _hot = "__init__"
    _user_data: dict[str, Any]

    @property
    def user_data(self) -> dict[str, Any]:
        """Free data of scripts and plugins; neither cloned nor saved."""
        if not hasattr(self, "_user_data"):  # few views have any
            self._user_data = {}
        return self._user_data


class _OtherName:
    """A name that a class lacks; asking for it raises an error with ours."""

    __slots__ = ("_name", "hint")

    def __init__(self, name: str, hint: Callable[[], str]) -> None:
        self._name = name
        self.hint = hint

    def __get__(self, item: object, kind: type[Any]) -> Any:
        raise AttributeNameError(
            f"{kind.__name__} has no attribute {self._name!r}: {self.hint()}",
            self._name,
        )


def answers_other_names(kind: Kind) -> Kind:
    """Let a class answer to names that it lacks: with where they are, in an error.

    They are OpenRAVE's, those of what it carries, and those of its parts. A property
    that returns a class with `_is_part` is one: with ``limits`` of a body,
    ``jerk_limits`` and ``dof_jerk_limits`` are answered with ``limits.jerk``. Nothing
    that exists is read more slowly by that, as it would be by a ``__getattr__``.
    """
    owner = kind.__name__
    names = {one: partial(openrave_hint, owner, one) for one in names_of(owner)}
    _answer(kind, "_openrave_names", names)
    found: dict[str, Callable[[], str]] = {}
    above = unlisted_names(kind)
    for part, value in vars(kind).items():
        said = value.fget.__annotations__ if isinstance(value, property) else {}
        home = vars(sys.modules[kind.__module__])
        its_kind: Any = home.get(said.get("return", ""))
        carried = part == getattr(kind, "_carries", "")
        if not carried and not getattr(its_kind, "_is_part", False):
            continue
        for name in set(dir(its_kind)) - unlisted_names(its_kind):
            hint = partial("it is {!r} here".format, f"{part}.{name}")
            rest = name.removeprefix("set_")
            forms = [f"{part}_{rest}", f"{part}_dof_{rest}"]
            forms += [f"{rest}_{part}", f"dof_{rest}_{part}"]
            # shorter ones may well be meant otherwise
            forms += [rest] if carried or "_" in rest else []
            for form in forms if name[0] != "_" else ():
                if form not in above:
                    found[name.removesuffix(rest) + form] = hint
    _answer(kind, "_names_of_parts", found)
    return kind


def _answer(kind: Any, kept: str, names: Mapping[str, Callable[[], str]]) -> None:
    """Put names in the place of what a class lacks; `kept` lists them for ``dir``."""
    lacking = [one for one in names if not hasattr(kind, one)]
    for name in lacking:
        setattr(kind, name, _OtherName(name, names[name]))
    setattr(kind, kept, frozenset(lacking))


def setters(kind: type[Any], *names: str) -> tuple[Callable[[Any, Any], None], ...]:
    """Return the functions that set slots of a class, in a third of the time.

    For constructors of what there is much of, and for what changes with each move.
    """
    return tuple(vars(kind)[name].__set__ for name in names)


def _admit(item: Any, name: str, value: Any) -> None:
    """Let a name be set from now on, or raise AttributeNameError."""
    kind = type(item)
    known = _of_class(kind, name)
    if isinstance(known, property) and known.fset is None:
        raise AttributeNameError(f"{name} of {kind.__name__} is read only", name)
    if isinstance(known, FunctionType):
        # authors and tests put other functions in the place of methods
        if not (callable(value) or _is_set_by_itself(item)):
            raise AttributeNameError(
                f"{name} of {kind.__name__} is a method: call it, or see "
                f"help({kind.__name__}.{name})",
                name,
            )
        return
    if known is _MISSING or isinstance(known, _OtherName):
        hint = openrave_hints(kind, name)
        is_own = name[:1] == "_" or name in getattr(item, "__dict__", ())
        if hint or not (is_own or _is_set_by_itself(item)):
            if isinstance(known, _OtherName):
                hint = known.hint()
            raise AttributeNameError(_refusal(item, name, hint), name)
    kind._settable.add(name)  # noqa: SLF001 - `Closed` is of this module


def _of_class(kind: type[Any], name: str) -> Any:
    """Return a name's value in a class, or its annotation."""
    for one in kind.__mro__:
        own = vars(one)
        if name in own:
            return own[name]
        if name in own.get("__annotations__", ()):
            return None
    return _MISSING


def openrave_hints(kind: type[Any], name: str) -> str:
    """Return our names for a name of OpenRAVE, of a class or one below it."""
    texts = (openrave_hint(one.__name__, name) for one in kind.__mro__)
    return next(filter(None, texts), "")


def _refusal(item: Any, name: str, hint: str = "") -> str:
    kind = type(item).__name__
    text = f"{kind} has no attribute {name!r}"
    if hint:
        return f"{text}: {hint}"
    near = did_you_mean(name, offered_names(item))
    if hasattr(type(item), "user_data"):
        near += f"; data of your own have a place in its user_data[{name!r}]"
    return text + near


def _is_set_by_itself(item: Any) -> bool:
    """Return True if a method of an object or of its class sets the attribute."""
    # the callers of this function are _admit, __setattr__, and who sets it
    frame = sys._getframe(3)  # noqa: SLF001 - `inspect` takes long to import
    code, known = frame.f_code, frame.f_locals
    if known.get("self") is item:
        return True
    first = known.get(code.co_varnames[0]) if code.co_argcount else None
    # a class method has the class in place of the object
    kind = first if isinstance(first, type) else type(first)
    if first is not item and not (kind is first and isinstance(item, kind)):
        return False
    method = _of_class(kind, code.co_name)
    function = getattr(method, "__func__", method)
    # decorators may be around it
    while function is not None and getattr(function, "__code__", None) is not code:
        function = getattr(function, "__wrapped__", None)
    return function is not None

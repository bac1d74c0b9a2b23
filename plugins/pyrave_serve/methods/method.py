"""A method that clients call: made of a function, its annotations and docstring."""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pyrave.errors import ArgumentError, did_you_mean
from pyrave_serve.call_objects import Desk
from pyrave_serve.methods.kinds import Kind, kind_of

_SECTION = re.compile(r"\n(Parameters|Returns)\n-+\n")
_ITEM = re.compile(r"^(\w[\w, ]*)\n((?:    .*\n?|\n)+)", re.MULTILINE)


@dataclass(frozen=True)
class MethodParameter:
    """One parameter of a method.

    Parameters
    ----------
    name
        Its name.
    kind
        What it may be.
    about
        What it means.
    default
        What it is if it is left out; `inspect.Parameter.empty` if it must be given.
    """

    name: str
    kind: Kind
    about: str
    default: Any

    @property
    def required(self) -> bool:
        """True if a call must give it."""
        return self.default is inspect.Parameter.empty


@dataclass(frozen=True)
class Method:
    """A method that clients call by its name.

    Parameters
    ----------
    name
        Its name.
    summary
        What it does.
    parameters
        In their order.
    returns
        What its result is.
    function
        Called with a `Desk` and the parameters by name.
    """

    name: str
    summary: str
    parameters: tuple[MethodParameter, ...]
    returns: str
    function: Callable[..., Any]

    @classmethod
    def from_function(cls, function: Callable[..., Any]) -> Method:
        """Describe a function; the names of its parameters are those of the method."""
        about, found, returns = _read(inspect.getdoc(function) or "")
        hints = typing.get_type_hints(function, include_extras=True)
        signature = list(inspect.signature(function).parameters.values())[1:]
        parameters = tuple(
            MethodParameter(p.name, kind_of(hints[p.name]), found[p.name], p.default)
            for p in signature
        )
        return cls(function.__name__, about, parameters, returns, function)

    @property
    def signature(self) -> str:
        """The method with its parameters, for messages."""
        names = (p.name if p.required else f"[{p.name}]" for p in self.parameters)
        return f"{self.name}({', '.join(names)})"

    def arguments(self, given: Any) -> dict[str, Any]:
        """Return keyword arguments, given the ``params`` of a call.

        Raises
        ------
        ArgumentError
            One is missing, unknown or not what it must be.
        """
        by_name = {p.name: p for p in self.parameters}
        values: Mapping[str, Any]
        if isinstance(given, list):
            if len(given) > len(self.parameters):
                raise ArgumentError(
                    f"{len(given)} params are too many, expected {self.signature}"
                )
            values = dict(zip(by_name, given, strict=False))
        else:
            values = given
        for name in values:
            if name not in by_name:
                raise ArgumentError(
                    f"no parameter {name!r}{did_you_mean(name, by_name)}; "
                    f"expected {self.signature}"
                )
        missing = [
            p.name for p in self.parameters if p.required and p.name not in values
        ]
        if missing:
            raise ArgumentError(
                f"{', '.join(missing)} not given, expected {self.signature}"
            )
        return {
            name: by_name[name].kind.read(value, name) for name, value in values.items()
        }

    def call(self, desk: Desk, arguments: Mapping[str, Any]) -> Any:
        """Return the result, as data for `pyrave.summary.plain`."""
        return self.function(desk, **arguments)


def _read(doc: str) -> tuple[str, dict[str, str], str]:
    """Return summary, texts of parameters and of the result, from a docstring."""
    about, *sections = _SECTION.split(f"{doc}\n")
    texts = dict(zip(sections[::2], sections[1::2], strict=True))
    found = {
        name.strip(): _line(text)
        for names, text in _ITEM.findall(texts.get("Parameters", "").strip("\n") + "\n")
        for name in names.split(",")
    }
    returned = _ITEM.findall(texts.get("Returns", "").strip("\n") + "\n")
    result = returned[0][1] if returned else ""
    return _line(about), found, _line(result)


def _line(text: str) -> str:
    return " ".join(text.split())

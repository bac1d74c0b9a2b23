"""The exception family of pyrave, and the problem record that loaders collect.

::

    Error
    ├── SceneError             a scene, mesh or trajectory file is wrong  (ValueError)
    ├── ResourceError          a file that was asked for is missing (FileNotFoundError)
    ├── PluginError            a plugin is missing, blocked, broken or incompatible
    │   ├── InterfaceNotFoundError     nobody offers the interface id      (LookupError)
    │   └── InterfaceCreationError     its constructor failed or returned a wrong type
    ├── CommandError           unknown interface command or bad arguments   (ValueError)
    ├── ArgumentError          a value given to the API has no meaning      (ValueError)
    │   ├── SettingError           a setting of a part is unknown or wrong
    │   └── ArgumentNameError      a function has no such argument         (TypeError)
    ├── NameConflictError      a name is taken or not valid                 (ValueError)
    ├── NotFoundError          a named thing is not in its collection         (KeyError)
    ├── AttributeNameError     an object has no such attribute, or it cannot be set
    │                                                              (AttributeError)
    ├── NotSupportedError      this object cannot do what was asked
    ├── StateError             the call does not fit the present state    (RuntimeError)
    └── LockTimeoutError       the environment lock was not free in time  (TimeoutError)
"""

from __future__ import annotations

import errno
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from traceback import FrameSummary, extract_tb, format_exception
from types import TracebackType
from typing import Any, Self

from pyrave.near_names import did_you_mean, nearest
from pyrave.texts import printable

__all__ = [
    "ArgumentError",
    "ArgumentNameError",
    "AttributeNameError",
    "CommandError",
    "Error",
    "InterfaceCreationError",
    "InterfaceNotFoundError",
    "LockTimeoutError",
    "NameConflictError",
    "NotFoundError",
    "NotSupportedError",
    "PluginError",
    "PluginGuard",
    "Problem",
    "Problems",
    "ResourceError",
    "SceneError",
    "SettingError",
    "Severity",
    "StateError",
    "did_you_mean",
    "error_text",
    "error_trace",
    "last_frames",
    "nearest",
    "shortened",
    "shown",
]

_MAX_QUOTED = 60
_MAX_QUOTED_PATH = 240
_MAX_SHOWN = 80
_MAX_MESSAGE = 2000
_MAX_NOTEBOOK = 3
_MAX_READ = 20_000
# Texts and tags of more than 60 characters. An apostrophe within a word is no
# quotation mark, and one behind a backslash does not end a text.
_LONG = re.compile(
    r"""(?<![\w\\])(['"])((?:\\.|(?!\1)[^\\]){61,})\1(?!\w)|<([^<>\s]{61,})>""",
    re.DOTALL,
)


class Severity(Enum):
    """Severity of a problem: errors refuse a scene always, warnings if strict.

    Notes never do: of what a file says nothing is wrong or lost.
    """

    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong in a file or went wrong in an environment.

    Parameters
    ----------
    severity
        Errors refuse the scene always, warnings only with ``strict=True``, notes never.
    message
        What was found and what was expected, one sentence.
    file, line, column
        Where; ``None`` when not known. Lines and columns count from 1.
    element
        Path of the element, for example ``environment/robot[1]/kinbody/body[2]``.
    hint
        What to do about it, for example the nearest known name.
    traceback
        Python traceback of the plugin code that failed, if one did.
    code
        Stable machine-readable name of the kind of problem, listed in the docs'
        error catalogue, for example ``unknown-tag``.
    named_at
        Where `file` is named that is a part of another: ``"scene.xml:12"``, then where
        that file is named, and so on.
    """

    severity: Severity
    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    element: str | None = None
    hint: str | None = None
    traceback: str | None = None
    code: str = ""
    named_at: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """``file:line:column``, as far as they are known."""
        parts = (self.file, self.line, self.column)
        place = ":".join(str(part) for part in parts if part is not None)
        return printable(place, keep="")

    def __str__(self) -> str:
        head = f"{self.place}: " if self.place else ""
        text = f"{head}{self.severity.value}: {self.message}"
        if self.element:
            text += f" [{self.element}]"
        if self.named_at:
            text += f" (named at {', '.join(self.named_at)})"
        if self.hint:
            text += f" ({self.hint})"
        return printable(text)

    def __repr__(self) -> str:
        code = f" {self.code}" if self.code else ""
        return f"<Problem{code}: {self}>"


class Problems(tuple[Problem, ...]):
    """Problems in the order in which they were met; printed, each is a line."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self:
            return "<no problems>"
        worst = next(filter(is_wrong, self), self[0])
        first = " ".join(str(worst).split())
        more = ", the first" if len(self) > 1 else ""
        return f"<{count_problems(self)}{more}: {first}>"

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "no problems"

    def _repr_html_(self) -> str:
        from pyrave.cards import card, problem_table

        if not self:
            return card("No problems", {})
        return card(count_problems(self), {}, problem_table(self))


def is_wrong(problem: Problem) -> bool:
    """Return True if a problem is more than a note."""
    return problem.severity is not Severity.NOTE


def count_problems(problems: Iterable[Problem]) -> str:
    """Return the number of problems as ``"2 problems, 1 note"``, ``"no problems"``."""
    return count_severities(problem.severity.value for problem in problems)


def count_severities(severities: Iterable[str]) -> str:
    """Return `count_problems` of problems that have such severities."""
    found = list(severities)
    notes = found.count(Severity.NOTE.value)
    numbers = {"problem": len(found) - notes, "note": notes}
    said = [f"{n} {word}{'s' * (n > 1)}" for word, n in numbers.items() if n]
    return ", ".join(said) or "no problems"


class Error(Exception):
    """Base of every exception that pyrave raises on purpose."""

    def __str__(self) -> str:
        return printable(super().__str__())

    @property
    def traceback(self) -> str:
        """The whole traceback as text, with those of the errors that led to it."""
        return error_trace(self)

    def _render_traceback_(self) -> list[str]:
        """Return the lines for notebooks: five, with the line of the user's code."""
        said = error_text(self).splitlines()
        lines = [*said[:_MAX_NOTEBOOK], *["..."] * (len(said) > _MAX_NOTEBOOK)]
        own = [one for one in extract_tb(self.__traceback__) if not _is_ours(one)]
        if own:
            lines.append(f"at line {own[-1].lineno}: {own[-1].line}")
        lines.append("(import sys; print(sys.last_value.traceback) has all of it)")
        return lines


def _is_ours(frame: FrameSummary) -> bool:
    """Return True if a frame is of pyrave or one of its plugins, or of a shell."""
    parts = Path(frame.filename).parts
    return any(part == "IPython" or part.startswith("pyrave") for part in parts[:-1])


class SceneError(Error, ValueError):
    """A file or text could not be accepted; carries every problem that was found.

    Parameters
    ----------
    problems
        At least one problem; the first error gives `file`, `line`, `column`,
        `element` and `hint` of the exception.
    """

    def __init__(self, problems: Problem | str | Sequence[Problem]) -> None:
        if isinstance(problems, str):
            problems = Problem(Severity.ERROR, problems)
        if isinstance(problems, Problem):
            problems = (problems,)
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__(self.problems)

    @classmethod
    def refusal(cls, code: str, message: str, **fields: Any) -> Self:
        """Return an error of one problem.

        Parameters
        ----------
        code
            As the reference of problems has it.
        message
            What is wrong.
        **fields
            Further fields of `Problem`, such as `file` and `hint`.
        """
        return cls(Problem(Severity.ERROR, message, code=code, **fields))

    @property
    def first(self) -> Problem:
        """The first error, or the first warning when there is no error."""
        for problem in self.problems:
            if problem.severity is Severity.ERROR:
                return problem
        return self.problems[0]

    @property
    def file(self) -> str | None:
        """File of the first error."""
        return self.first.file

    @property
    def line(self) -> int | None:
        """Line of the first error, counted from 1."""
        return self.first.line

    @property
    def column(self) -> int | None:
        """Column of the first error, counted from 1."""
        return self.first.column

    @property
    def element(self) -> str | None:
        """Path of the element of the first error."""
        return self.first.element

    @property
    def hint(self) -> str | None:
        """Hint of the first error."""
        return self.first.hint

    def __str__(self) -> str:
        lines = [str(problem) for problem in self.problems]
        if len(lines) > 1:
            lines.append(f"{count_problems(self.problems)}; nothing was loaded")
        return "\n".join(lines)


class ResourceError(Error, FileNotFoundError):
    """A file that was asked for is not there; says where it was looked for."""

    def __init__(self, name: str, searched: Iterable[str] = (), hint: str = "") -> None:
        self.name = name
        self.searched = tuple(searched)
        self.hint = hint
        super().__init__(errno.ENOENT, "file not found", name)

    def __reduce__(self) -> tuple[type[ResourceError], tuple[object, ...]]:
        return type(self), (self.name, self.searched, self.hint)

    @property
    def message(self) -> str:
        """The missing file and the places searched, without the hint."""
        text = f"file {self.name!r} not found"
        if self.searched:
            text += "; looked in " + ", ".join(self.searched)
        return text

    def __str__(self) -> str:
        text = f"{self.message} ({self.hint})" if self.hint else self.message
        return printable(text)


class PluginError(Error):
    """A plugin is missing, blocked, broken or incompatible."""


class InterfaceNotFoundError(PluginError, LookupError):
    """Nobody offers the interface id that was asked for.

    Parameters
    ----------
    interface_type, interface_id
        What was asked for, for example ``"sensor"`` and ``"BaseLaser"``.
    available
        Ids of that type which can be created.
    failures
        One text per plugin that could not be used, with its traceback.
    """

    def __init__(
        self,
        interface_type: str,
        interface_id: str,
        available: Iterable[str] = (),
        failures: Iterable[str] = (),
    ) -> None:
        self.interface_type = interface_type
        self.interface_id = interface_id
        self.available = tuple(available)
        self.failures = tuple(failures)
        super().__init__(interface_type, interface_id, self.available, self.failures)

    def __str__(self) -> str:
        known = ", ".join(sorted(self.available, key=str.lower)) or "none"
        text = (
            f"no installed plugin offers {self.interface_type} {self.interface_id!r}"
            f"{did_you_mean(self.interface_id, self.available)}; available: {known}"
        )
        if self.failures:
            text += "\nplugins that could not be used:\n" + "\n".join(self.failures)
        return printable(text + "\n`pyrave plugins` lists what is installed")


class InterfaceCreationError(PluginError):
    """A plugin's class or factory raised, or returned something of a wrong type."""


class CommandError(Error, ValueError):
    """An interface does not know a command, or the command's arguments are wrong."""


class ArgumentError(Error, ValueError):
    """A value given to the API has no meaning; names the argument."""


class SettingError(ArgumentError):
    """A setting of a part is unknown, or its value is not one that is declared.

    Parameters
    ----------
    unknown
        The name, if there is no such setting.
    """

    def __init__(self, message: str, unknown: str = "") -> None:
        self.unknown = unknown
        super().__init__(message, unknown)

    def __str__(self) -> str:
        return printable(self.args[0])


class ArgumentNameError(ArgumentError, TypeError):
    """A function has no argument of that name; the message has the nearest one.

    Parameters
    ----------
    message
        What was called and what it takes.
    name
        The keyword.
    """

    def __init__(self, message: str, name: str) -> None:
        super().__init__(message)
        self.name = name

    def __reduce__(self) -> tuple[type[ArgumentNameError], tuple[object, ...]]:
        return type(self), (self.args[0], self.name)


class NameConflictError(Error, ValueError):
    """A name is already taken or is not a valid name."""


class NotFoundError(Error, KeyError):
    """A named thing is not in its collection; lists near and known names.

    Parameters
    ----------
    hint
        Where it is instead, if that is known.
    """

    def __init__(
        self, kind: str, name: object, known: Iterable[str] = (), hint: str = ""
    ) -> None:
        self.kind = kind
        self.name = name
        self.known = tuple(known)
        self.hint = hint
        super().__init__(kind, name, self.known, hint)

    def __str__(self) -> str:
        known = ", ".join(self.known) or "none"
        found = f"no {self.kind} {shown(self.name)}"
        if self.hint:
            return printable(f"{found}: {self.hint}; known: {known}")
        if isinstance(self.name, str):
            found += did_you_mean(self.name, self.known)
        return printable(f"{found}; known: {known}")


class AttributeNameError(Error, AttributeError):
    """An object lacks an attribute, or it cannot be set; reads may raise Python's own.

    Parameters
    ----------
    message
        What was found and what is there.
    name
        The attribute.
    """

    def __init__(self, message: str, name: str) -> None:
        super().__init__(message)
        self.name = name

    def __reduce__(self) -> tuple[type[AttributeNameError], tuple[object, ...]]:
        return type(self), (self.args[0], self.name)


class NotSupportedError(Error):
    """An object cannot do what was asked; says what could."""


class StateError(Error, RuntimeError):
    """The call does not fit the present state: a failed plan has no trajectory."""


class LockTimeoutError(Error, TimeoutError):
    """The environment lock was not free within the given time."""


class PluginGuard:
    """Runs code of a plugin, which may raise anything, and goes on afterwards.

    ::

        with PluginGuard(report):
            function()

        with PluginGuard() as guard:
            answer = function()
        if guard.error is not None:
            ...

    `KeyboardInterrupt` is the user's and passes.

    Parameters
    ----------
    handle
        Called with what was raised, to report it.
    passes
        Exceptions that pass too.
    """

    __slots__ = ("_handle", "_passes", "error")

    def __init__(
        self,
        handle: Callable[[BaseException], object] | None = None,
        *,
        passes: type[BaseException] = KeyboardInterrupt,
    ) -> None:
        self._handle = handle
        self._passes = passes
        self.error: BaseException | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _trace: TracebackType | None,
    ) -> bool:
        if error is None or isinstance(error, (KeyboardInterrupt, self._passes)):
            return False
        self.error = error
        if self._handle is not None:
            self._handle(error)
        return True


def shown(value: object) -> str:
    """Return the text of a value for a message, 80 characters of one line at most."""
    with PluginGuard() as guard:
        text = " ".join(line.strip() for line in repr(value).splitlines())
        return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 3]}..."
    # Python writes no number of thousands of digits
    if isinstance(guard.error, ValueError) and "digits" in error_text(guard.error):
        return "a huge number"
    return f"<{type(value).__name__} whose repr() fails>"


def error_text(error: BaseException) -> str:
    """Return ``"Type: text"`` of an exception of anyone's code, whose text may fail."""
    with PluginGuard():
        return f"{type(error).__name__}: {error}"
    return f"{type(error).__name__} whose text fails"


def last_frames(error: BaseException, most: int = 2) -> str:
    """Return the last lines of code of a traceback, each on a line of its own."""
    with PluginGuard():
        return "".join(
            f"\n  {one.filename}:{one.lineno} in {one.name}: {one.line}"
            for one in extract_tb(error.__traceback__)[-most:]
        )
    return ""


def error_trace(error: BaseException) -> str:
    """Return the traceback of an exception as text."""
    with PluginGuard():
        return "".join(format_exception(error))
    return f"{error_text(error)}, whose traceback fails\n"


def shortened(message: str) -> str:
    """Return a message in which names and texts taken from a file are not long.

    Quoted texts and tags are cut to 60 characters, paths to 240, all to 2000.
    """
    if len(message) <= _MAX_QUOTED:
        return message
    return _cut(_LONG.sub(_cut_quotation, message[:_MAX_READ]), _MAX_MESSAGE)


def _cut_quotation(found: re.Match[str]) -> str:
    quote, text, tag = found.groups()
    if tag is not None:
        return f"<{_cut(tag, _MAX_QUOTED)}>"
    limit = _MAX_QUOTED_PATH if "/" in text or "\\" in text else _MAX_QUOTED
    return f"{quote}{_cut(text, limit)}{quote}"


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[:limit] + "…"


def __dir__() -> list[str]:
    return sorted(__all__)

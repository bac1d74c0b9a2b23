"""Named commands of interfaces: typed parameters, help, text and keyword forms."""

from __future__ import annotations

import inspect
import typing
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import (
    TYPE_CHECKING,
    Any,
    TypeVar,
    get_args,
    get_origin,
)

from pyrave.coercion import Coercion, bound
from pyrave.errors import (
    CommandError,
    Error,
    PluginError,
    PluginGuard,
    StateError,
    did_you_mean,
    error_text,
    last_frames,
    shown,
)
from pyrave.interfaces.commands.files import granted, present_access
from pyrave.interfaces.commands.words import (
    converted,
    hints_of,
    kind_text,
    plain_type,
    words_of_text,
)

if TYPE_CHECKING:
    from pyrave.interfaces.base import InterfaceBase

_F = TypeVar("_F", bound=Callable[..., Any])
_RESERVED = {"help", "commands"}
_VALUES = Coercion(simple={float: bound})


class CommandResult(ABC):
    """A result of a command that says itself what callers by text get."""

    __slots__ = ()

    @abstractmethod
    def command_text(self) -> str | None:
        """Return the answer as text, None if the command failed."""


@typing.overload
def command(function: _F, /) -> _F: ...
@typing.overload
def command(
    *,
    name: str = "",
    reads: Iterable[str] = (),
    writes: Iterable[str] = (),
    also: Iterable[str] = (),
    words: Mapping[str, str] | None = None,
) -> Callable[[_F], _F]: ...
def command(
    function: Any = None,
    /,
    *,
    name: str = "",
    reads: Iterable[str] = (),
    writes: Iterable[str] = (),
    also: Iterable[str] = (),
    words: Mapping[str, str] | None = None,
) -> Any:
    """Mark a method as a command of its interface.

    Parameters
    ----------
    name
        The command's, the method's without.
    reads, writes
        Names of parameters that are files which the command reads or writes. Servers
        grant their clients such files below the folders that they were given.
    also
        More names of the command.
    words
        More words by which texts name a parameter -> the parameter.

    Parameters are typed by annotations: ``int``, ``float``, ``bool``, ``str``, enums,
    ``Literal``, ``list[...]`` (takes all words up to the next parameter name, and more
    where it is named again) and optional ones; of a union with a list, texts give the
    list. In a text the name of a ``bool`` alone says yes, and an XML document is one
    word. The docstring is the help. The name is the method's unless given. Results that
    say themselves what callers by text get are a `CommandResult`.

    Examples
    --------
    >>> from pyrave import ModuleBase, command
    >>> class Greeter(ModuleBase):
    ...     contract = 1
    ...     @command
    ...     def greet(self, name: str, times: int = 1) -> str:
    ...         "Greet somebody."
    ...         return " ".join(["hello " + name] * times)
    """

    def mark(target: Any) -> Any:
        known = name or target.__name__
        _check_name(known)
        # the first is the object itself
        parameters = tuple(inspect.signature(target).parameters.values())[1:]
        _check_parameters(known, parameters)
        target.__pyrave_command__ = known
        files = _checked_files(known, parameters, reads, writes)
        target.__pyrave_details__ = (*files, _checked_words(known, parameters, words))
        target.__pyrave_also__ = tuple(also)
        return target

    return mark if function is None else mark(function)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a command; `default` is `inspect.Parameter.empty` if needed."""

    name: str
    annotation: Any
    default: Any

    @property
    def required(self) -> bool:
        """True if a call must give it."""
        return self.default is inspect.Parameter.empty

    @property
    def takes_many(self) -> bool:
        """True for lists, which take all words up to the next parameter name."""
        return get_origin(plain_type(self.annotation)) in {list, tuple}

    @property
    def is_flag(self) -> bool:
        """True for ``bool``: in a text its name alone says yes."""
        return plain_type(self.annotation) is bool

    def __str__(self) -> str:
        kind = kind_text(self.annotation)
        text = f"{self.name}: {kind}"
        return text if self.required else f"{text} = {self.default!r}"


@dataclass(frozen=True, slots=True)
class Command:
    """A command: name, help, parameters and the function behind it.

    Parameters
    ----------
    reads
        Names of arguments that are files to read.
    writes
        Names of arguments that are files to write.
    words
        More words by which texts name arguments, in lower case -> the argument.
    """

    name: str
    help: str
    parameters: tuple[Parameter, ...]
    function: Callable[..., Any]
    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    words: Mapping[str, str] = field(default_factory=dict)

    def run(self, arguments: Mapping[str, Any]) -> Any:
        """Call the function; its files are those that `file_access` grants.

        Parameters
        ----------
        arguments
            Values by name.
        """
        given = dict(arguments)
        access = present_access()
        if access is not None:
            for names, grant in (
                (self.reads, access.to_read),
                (self.writes, access.to_write),
            ):
                for name in names & given.keys():
                    given[name] = granted(given[name], grant)
        return self.function(**given)

    @property
    def signature(self) -> str:
        """The command with its parameters, for help texts."""
        return f"{self.name}({', '.join(map(str, self.parameters))})"

    @classmethod
    def from_function(
        cls,
        name: str,
        function: Callable[..., Any],
        help_text: str,
        reads: Iterable[str] = (),
        writes: Iterable[str] = (),
        words: Mapping[str, str] | None = None,
    ) -> Command:
        """Describe a function by its signature, annotations and docstring.

        Parameters
        ----------
        help_text
            In place of the docstring's.
        reads
            Names of arguments that are files to read.
        writes
            Names of arguments that are files to write.
        words
            More words by which texts name arguments -> the argument.
        """
        hints = hints_of(function)
        found = tuple(inspect.signature(function).parameters.values())
        _check_parameters(name, found)
        parameters = tuple(
            Parameter(p.name, hints.get(p.name, str), p.default) for p in found
        )
        files = _checked_files(name, found, reads, writes)
        help_text = help_text or inspect.getdoc(function) or ""
        more = _checked_words(name, found, words)
        return cls(name, help_text, parameters, function, *files, more)

    def parse(self, words: list[str]) -> dict[str, Any]:
        """Turn the words of a text call into keyword arguments."""
        by_name = {p.name.lower(): p for p in self.parameters}
        by_name |= {word: by_name[name.lower()] for word, name in self.words.items()}
        keyed = bool(words) and words[0].lower() in by_name
        raw: dict[str, list[str]] = {}
        if keyed:
            raw = self._keyed(words, by_name)
        else:
            queue = list(words)
            for i, parameter in enumerate(self.parameters):
                if not queue:
                    break
                last = i == len(self.parameters) - 1
                if parameter.takes_many:
                    raw[parameter.name], queue = queue, []
                elif last and plain_type(parameter.annotation) is str:
                    raw[parameter.name], queue = [" ".join(queue)], []
                else:
                    raw[parameter.name] = [queue.pop(0)]
            if queue:
                raise CommandError(
                    f"command {self.name}: too many words, {' '.join(queue)!r} is left "
                    f"over; expected {self.signature}"
                )
        return {
            p.name: self._convert(p, raw[p.name])
            for p in self.parameters
            if p.name in raw
        }

    def _keyed(
        self, words: list[str], by_name: Mapping[str, Parameter]
    ) -> dict[str, list[str]]:
        raw: dict[str, list[str]] = {}
        position = 0
        while position < len(words):
            parameter = by_name.get(words[position].lower())
            if parameter is None:
                raise CommandError(
                    f"command {self.name}: no parameter {words[position]!r}"
                    f"{did_you_mean(words[position], by_name)}; "
                    f"expected {self.signature}"
                )
            position += 1
            values: list[str] = []
            if parameter.takes_many:
                while position < len(words) and words[position].lower() not in by_name:
                    values.append(words[position])
                    position += 1
            elif parameter.is_flag and _ends(words[position:], by_name):
                values = ["1"]
            elif position < len(words):
                values = [words[position]]
                position += 1
            else:
                raise CommandError(
                    f"command {self.name}: parameter {parameter.name!r} has no value"
                )
            before = raw.get(parameter.name, []) if parameter.takes_many else []
            raw[parameter.name] = before + values
        return raw

    def accept(self, parameter: Parameter, value: Any) -> Any:
        """Return a JSON value as the parameter's type; texts as in `parse`."""
        kind = plain_type(parameter.annotation)
        if isinstance(value, str):
            return self._convert(parameter, [value])
        many = parameter.takes_many and isinstance(value, (list, tuple))
        if many and all(isinstance(item, str) for item in value):
            return self._convert(parameter, list(value))
        if value is None:
            return value
        made, faults = _VALUES.value(kind, value)
        if faults:
            raise self._unfit(parameter, repr(value))
        return made

    def _convert(self, parameter: Parameter, words: list[str]) -> Any:
        kind = plain_type(parameter.annotation)
        try:
            if parameter.takes_many:
                item = (get_args(kind) or (str,))[0]
                values = [converted(word, item) for word in words]
                return tuple(values) if get_origin(kind) is tuple else values
            return converted(words[0], kind)
        except (ValueError, KeyError, IndexError, StopIteration):
            raise self._unfit(
                parameter, repr(" ".join(words)), self._near(words)
            ) from (None)

    def _near(self, words: Iterable[str]) -> str:
        """Return the parameter that the first word may mean which is no number."""
        names = [one.name for one in self.parameters]
        for word in words:
            try:
                float(word)
            except ValueError:
                return did_you_mean(word, names)
        return ""

    def _unfit(self, parameter: Parameter, value: str, near: str = "") -> CommandError:
        return CommandError(
            f"command {self.name}: parameter {parameter.name!r} is {value}, expected "
            f"{parameter}{near}"
        )


def _ends(words: Sequence[str], by_name: Mapping[str, Parameter]) -> bool:
    """Return True if what follows is no value: nothing, or a parameter's name."""
    return not words or words[0].lower() in by_name


def _check_name(name: object) -> None:
    if not isinstance(name, str) or not name or any(c.isspace() for c in name):
        raise CommandError(f"a command's name is one word, not {name!r}")
    if name.lower() in _RESERVED:
        raise CommandError(
            f"the command name {name!r} is reserved: every object has it already"
        )


def _check_parameters(name: str, parameters: Iterable[inspect.Parameter]) -> None:
    """Refuse parameters that a call by text or by name cannot give."""
    for p in parameters:
        if p.kind not in {p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY}:
            raise CommandError(
                f"command {name}: the parameter {str(p)!r} cannot be given by name; "
                "for any number of words write for example `names: list[str]`"
            )


def _checked_files(
    name: str,
    parameters: Iterable[inspect.Parameter],
    reads: Iterable[str],
    writes: Iterable[str],
) -> tuple[frozenset[str], frozenset[str]]:
    """Return the parameters that are files; CommandError for others' names."""
    known = [one.name for one in parameters]
    files = frozenset(reads), frozenset(writes)
    for one in sorted(files[0] | files[1]):
        if one not in known:
            raise CommandError(
                f"command {name}: it has no parameter {one!r} that could be a file"
                f"{did_you_mean(one, known)}"
            )
    return files


def _checked_words(
    name: str,
    parameters: Iterable[inspect.Parameter],
    words: Mapping[str, str] | None,
) -> dict[str, str]:
    """Return more words of parameters, in lower case; CommandError for others'."""
    known = [one.name for one in parameters]
    for one in (words or {}).values():
        if one not in known:
            raise CommandError(
                f"command {name}: it has no parameter {one!r} that a word could name"
                f"{did_you_mean(one, known)}"
            )
    return {word.lower(): one for word, one in (words or {}).items()}


def commands_of(kind: Any) -> list[Command]:
    """Return the commands that a class declares, in the order of their names."""
    found = []
    for attribute in dir(kind):
        function: Any = getattr(kind, attribute, None)
        name = getattr(function, "__pyrave_command__", None)
        if name is None:
            continue
        hints = hints_of(function)
        # the first is the object itself
        given = tuple(inspect.signature(function).parameters.values())[1:]
        parameters = tuple(
            Parameter(p.name, hints.get(p.name, str), p.default) for p in given
        )
        help_text = inspect.getdoc(function) or ""
        found += [
            Command(one, help_text, parameters, function, *function.__pyrave_details__)
            for one in (name, *function.__pyrave_also__)
        ]
    return sorted(found, key=lambda one: one.name)


class CommandTable(Mapping[str, Command]):
    """The commands of one object; names match without case."""

    def __init__(self, owner: InterfaceBase) -> None:
        # methods are looked up through a weak reference: no cycle with the owner
        self._owner = weakref.ref(owner)
        self._commands: dict[str, Command] = {}
        for attribute in dir(type(owner)):
            function: Any = getattr(type(owner), attribute, None)
            name = getattr(function, "__pyrave_command__", None)
            if name is not None:
                bound_method = _bound(self._owner, attribute)
                for one in (name, *function.__pyrave_also__):
                    self.register(one, bound_method, "", *function.__pyrave_details__)

    def __getitem__(self, name: str) -> Command:
        try:
            return self._commands[name.lower()]
        except KeyError:
            owner = self._owner()
            raise CommandError(
                f"{owner!r} has no command {name!r}"
                f"{did_you_mean(name, list(self))}; commands: "
                f"{', '.join(self) or 'none'}"
            ) from None

    def __iter__(self) -> Iterator[str]:
        return (c.name for c in self._commands.values())

    def __len__(self) -> int:
        return len(self._commands)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in self._commands

    def register(
        self,
        name: str,
        function: Callable[..., Any],
        help_text: str,
        reads: Iterable[str] = (),
        writes: Iterable[str] = (),
        words: Mapping[str, str] | None = None,
    ) -> None:
        """Add a command."""
        _check_name(name)
        if name in self:
            raise CommandError(
                f"the command {name!r} exists already, as {self[name].name!r}; names "
                "match without case"
            )
        made = Command.from_function(name, function, help_text, reads, writes, words)
        self._commands[name.lower()] = made

    def call(self, name: str, /, *args: Any, **kwargs: Any) -> Any:
        """Call with Python values."""
        found = self[name]
        try:
            given = inspect.signature(found.function).bind(*args, **kwargs)
        except TypeError as error:
            names = [one.name for one in found.parameters]
            wrong = [one for one in kwargs if one not in names]
            near = did_you_mean(wrong[0], names) if wrong else ""
            raise CommandError(
                f"command {found.name}: {error}{near}; expected {found.signature}"
            ) from None
        return self._run(found, given.arguments)

    def _run(self, found: Command, arguments: Mapping[str, Any]) -> Any:
        """Run a command; PluginError, with its object and plugin, if that raises.

        Errors of pyrave pass, with a note that says in which command they were raised.
        """
        with PluginGuard() as guard:
            return found.run(arguments)
        error = guard.error
        assert error is not None  # noqa: S101 - for the type checker
        owner = self._owner()
        origin = f" of plugin {owner.plugin!r}" if owner and owner.plugin else ""
        place = f"command {found.name} of {shown(owner)}{origin}"
        if isinstance(error, Error):
            error.add_note(f"in {place}")
            raise error
        text = f"{error_text(error)}{last_frames(error)}"
        raise PluginError(f"{place} raised {text}") from error

    def send(self, text: str) -> str | None:
        """Call with a text."""
        words = words_of_text(text)
        if not words:
            raise CommandError("the command text is empty; try 'help'")
        if words[0].lower() == "help":
            return self.help(words[1] if len(words) > 1 else "")
        found = self[words[0]]
        arguments = found.parse(words[1:])
        missing = [
            p.name for p in found.parameters if p.required and p.name not in arguments
        ]
        if missing:
            raise CommandError(
                f"command {found.name}: {', '.join(missing)} not given; "
                f"expected {found.signature}"
            )
        result = self._run(found, arguments)
        if result is None or result is False:
            return None
        if result is True:
            return ""
        if isinstance(result, CommandResult):
            return result.command_text()
        if isinstance(result, (list, tuple)):
            return " ".join(map(str, result))
        return str(result)

    def send_json(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Call with values by parameter name, matched without case."""
        found = self[name]
        by_name = {p.name.lower(): p for p in found.parameters}
        values: dict[str, Any] = {}
        for key, value in arguments.items():
            parameter = by_name.get(key.lower())
            if parameter is None:
                raise CommandError(
                    f"command {found.name}: no parameter {key!r}"
                    f"{did_you_mean(key, by_name)}; expected {found.signature}"
                )
            values[parameter.name] = found.accept(parameter, value)
        result = self.call(found.name, **values)
        return dict(result) if isinstance(result, Mapping) else {"result": result}

    def help(self, topic: str = "") -> str:
        """Return reST help on one command or all."""
        if topic and topic.lower() != "commands":
            found = self[topic]
            return f"**{found.signature}**\n\n{found.help}\n"
        owner = self._owner()
        title = (
            f"Commands of {owner.interface_type} {owner.interface_id}" if owner else ""
        )
        lines = [title, "=" * len(title), ""]
        for found in self._commands.values():
            lines += (
                [f"* **{found.signature}**: {found.help.splitlines()[0]}"]
                if (found.help)
                else [f"* **{found.signature}**"]
            )
        return "\n".join(lines) + "\n"


def _bound(owner: weakref.ref[InterfaceBase], attribute: str) -> Callable[..., Any]:
    """Return a function like the owner's method that does not keep the owner alive."""
    target = owner()
    method = getattr(target, attribute)

    def call(*args: Any, **kwargs: Any) -> Any:
        present = owner()
        if present is None:
            raise StateError(f"the object of command {attribute!r} is gone")
        return getattr(present, attribute)(*args, **kwargs)

    call.__signature__ = inspect.signature(method)  # type: ignore[attr-defined]
    call.__doc__ = method.__doc__
    call.__annotations__ = hints_of(method)
    return call

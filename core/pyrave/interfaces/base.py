"""Base of all 13 interface types: identity, environment, readables, commands."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from abc import ABC
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self

from pyrave.argument_names import methods_suggest
from pyrave.attributes import Closed, answers_other_names, put
from pyrave.errors import (
    ArgumentError,
    Error,
    PluginError,
    PluginGuard,
    SettingError,
    StateError,
    error_text,
    last_frames,
    shown,
)
from pyrave.interfaces.commands import CommandTable
from pyrave.interfaces.settings.declarations import (
    NoSettings,
    are_same,
    changed_settings,
    made_settings,
)
from pyrave.interfaces.settings.maker import MAKER, made_by
from pyrave.interfaces.settings.texts import values_of_words, words_of
from pyrave.interfaces.state_copies import Immutable, copied
from pyrave.scene.readable import Readable, Readables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pyrave.environment import Environment
    from pyrave.errors import Problem
    from pyrave.interfaces.commands import Command


@methods_suggest
@answers_other_names
class InterfaceBase(Closed, ABC):
    """Base of every interface object. Belongs to one environment and its thread.

    Parameters
    ----------
    env
        The environment; the object keeps it alive.
    *args
        The words after the id in ``env.create(type, "Id arg arg")``.

    Raises
    ------
    SettingError
        A setting is unknown, or its value is not one that `settings_type` declares.

    Notes
    -----
    A subclass states ``contract = N`` in its own body: the contract version it was
    written for (see `CONTRACT_CHANGES`), or a range of versions that it serves, such as
    ``contract = range(1, 3)``. Its constructor calls ``super().__init__``.
    """

    _env: Environment
    _interface_id: str
    _args: tuple[str, ...]
    _plugin: str
    interface_type: ClassVar[str]
    """One of the 13 interface types."""
    contract: ClassVar[int | range] = 1
    """Contract that a class is written for; each states it in its body, or 1 counts."""
    state_version: ClassVar[int] = 1
    """Version of what `get_own_state` returns; states of other versions are refused."""
    settings_type: ClassVar[type | None] = NoSettings
    """Frozen dataclass that declares the settings, its fields made by `setting`.

    None: words behind the id come as ``*args``, unchecked, and keywords are refused.
    """
    word_settings: ClassVar[tuple[str, ...]] = ()
    """Settings that words without ``name=`` behind the id give, in this order."""
    testing_caches: ClassVar[tuple[str, ...]] = ()
    """Attributes that a clone need not have at once: computed when they are needed."""

    _unlisted = (
        "add_readable args contract copy_to described get_own_state id_words "
        "plugin_settings read_words readable_changed scene_commands scene_name "
        "scene_settings set_own_state settings_changed settings_type state_version "
        "take_identity take_readables testing_caches word_settings"
    )
    # few objects have these: with up to 30 attributes Python makes no dictionary
    _command_table: CommandTable | None = None
    _user_data: dict[str, Any] | None = None
    _part_settings: Any = NoSettings()
    _words_said: tuple[tuple[str, ...], Any] = ((), None)
    """Words that were behind the id, and the settings that they say."""
    _is_made = False
    """True if a registry made it: no factory may return it again."""
    described = False
    """True if saving the scene writes this object (defaults are not written)."""
    scene_commands: tuple[str, ...] = ()
    """Commands that the scene sent after creation; written back."""
    scene_name = ""
    """Name that the scene gave; written back."""
    _readables: Readables | None = None
    uri: str = ""
    """File that defines it, empty for objects made by scripts."""
    disabled: bool = False
    """True if its code raised in a simulation step; it is skipped from then on."""
    scene_settings: tuple[tuple[str, tuple[float, ...] | str], ...] = ()
    """Settings that the scene gave, before `init` of controllers; written back."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__repr__" in vars(cls):
            cls.__repr__ = _safe_repr(cls.__repr__)  # type: ignore[method-assign]

    def __init__(self, env: Environment, *args: str) -> None:
        maker = MAKER.get()
        put(self, "_env", env)
        put(self, "_args", args)
        put(self, "_interface_id", type(self).__name__)
        put(self, "_plugin", maker.distribution)
        self._take_settings(args, maker)

    @property
    def env(self) -> Environment:
        """The environment this object was created for."""
        return self._env

    @env.setter
    def env(self, env: Environment) -> None:
        # authors who come from elsewhere write self.env = env
        known = getattr(self, "_env", None)
        if known is None:
            raise StateError(
                f"{type(self).__name__} assigns self.env too early: write "
                "super().__init__(env, *args) instead, which sets it"
            )
        if known is not env:
            raise StateError(
                f"{self!r} belongs to the environment that it was created for; create "
                "another object for another one"
            )

    @property
    def interface_id(self) -> str:
        """The id under which the object was created, as its plugin spells it."""
        return self._interface_id

    @property
    def plugin(self) -> str:
        """Name of the distribution that supplies the class, empty for scripts."""
        return self._plugin

    @property
    def plugin_settings(self) -> Mapping[str, Any]:
        """Settings of its plugin: those of the user's file, over them the scene's.

        They are there in the constructor, too. Scenes write them as attributes of
        ``<plugin>``, in lower case.
        """
        found: Mapping[str, Any] = self.env.plugin_settings(self._plugin)
        return found

    @property
    def args(self) -> tuple[str, ...]:
        """The words after the id at creation; none where they are settings."""
        return self._args

    @property
    def settings(self) -> Any:
        """The settings, a frozen `settings_type`; None where words are unchecked.

        They are there in the constructor after ``super().__init__(env, *args)``;
        `change_settings` changes them.
        """
        return self._part_settings

    @settings.setter
    def settings(self, settings: object) -> NoReturn:
        if self.settings_type is None:
            raise StateError(
                f"{type(self).__name__} assigns self.settings, which is a name of its "
                "base class: declare them in settings_type, or take another name"
            )
        raise StateError(
            f"the settings of {self!r} are not assigned: change_settings(name=value) "
            "changes them"
        )

    def change_settings(self, **changes: Any) -> None:
        """Change settings by name; the others stay. Saved with the scene.

        Raises
        ------
        SettingError
            There is no such setting, or a value is of another type or out of range.
            All are as they were then, and where `settings_changed` raises.
        """
        if self._part_settings is None:
            raise SettingError(_undeclared(self, self._interface_id, changes))
        before, owner = self._part_settings, self._interface_id
        self._replace_settings(changed_settings(before, owner, changes))

    def _replace_settings(self, settings: Any) -> None:
        before, self._part_settings = self._part_settings, settings
        try:
            with author_code(self, "settings_changed"):
                self.settings_changed(before)
        except BaseException:
            self._part_settings = before
            raise
        self.described = True

    def settings_changed(self, before: Any) -> None:
        """React to other settings.

        Parameters
        ----------
        before
            What they were until now.
        """

    @property
    def id_words(self) -> tuple[str, ...]:
        """The words behind the id that make an equal object again.

        Settings that differ from their defaults, as ``name=value``. Classes whose files
        say settings in another way have none.
        """
        if self._part_settings is None:
            return self._args
        words, meant = self._words_said
        # files keep the words that they have, as long as these say it
        said = are_same(meant, self._part_settings)
        return words if said else words_of(self._part_settings)

    @property
    def about(self) -> str:
        """Text for people about the interface: the class's docstring."""
        return inspect.getdoc(type(self)) or ""

    @property
    def readables(self) -> Readables:
        """Readables of custom XML readers on this object, by id or tag."""
        if self._readables is None:
            self._readables = Readables()
        return self._readables

    @property
    def user_data(self) -> dict[str, Any]:
        """Free data of scripts and plugins; neither cloned nor saved."""
        if self._user_data is None:
            self._user_data = {}
        return self._user_data

    def take_identity(self, other: InterfaceBase) -> None:
        """Carry the id and plugin of another object of the same class (for clones)."""
        self._interface_id = other._interface_id
        self._plugin = other._plugin
        self.described = other.described
        self.scene_commands = other.scene_commands
        self.scene_name = other.scene_name
        self.scene_settings = other.scene_settings
        if other._part_settings is not None:
            self._words_said = other._words_said

    def copy_to(self, env: Environment) -> Self:
        """Return a new object of this class, id and readables for an environment."""
        kind, name = self.interface_type, self._interface_id
        with made_by(self._plugin, kind, name, self._part_settings):
            made = type(self)(env, *self.args)
        made.take_identity(self)
        if self._readables is not None:
            made.take_readables(self._readables.items())
        return made

    def set_readable(self, key: str, readable: Readable) -> None:
        """Store a readable under `key` and notify the object (`readable_changed`)."""
        self.readables[key] = readable
        self.readable_changed(key, readable)

    def take_readables(self, items: Iterable[tuple[str, Readable]]) -> None:
        """Store (key, readable) pairs in place of what their keys had; notify of each.

        A key may come several times, as a file may repeat a tag.
        """
        seen: set[str] = set()
        for key, readable in items:
            put = self.add_readable if key.lower() in seen else self.set_readable
            put(key, readable)
            seen.add(key.lower())

    def add_readable(self, key: str, readable: Readable) -> None:
        """Store one more readable under `key` and notify the object."""
        self.readables.add(key, readable)
        self.readable_changed(key, readable)

    def readable_changed(self, key: str, readable: Readable) -> None:
        """React to a new readable, for example with new settings."""

    def get_own_state(self) -> Any:
        """Return the part that this class adds to the state of the object.

        Plain data that pickles: numbers, texts, arrays, lists, dataclasses. The caller
        copies it, so it may be what the object itself goes on with.
        """
        return None

    def set_own_state(self, state: Any) -> None:
        """Take over what `get_own_state` of it or a copy returned, copied."""

    def get_state(self) -> Any:
        """Return data with which `set_state` makes a copy equal; it pickles.

        Used by clones, state savers and pickles. Authors write `get_own_state`.
        """
        return OwnState.of(self)

    def set_state(self, state: Any) -> None:
        """Take over a state that `get_state` of this object or a copy returned.

        Raises
        ------
        ArgumentError
            It is none.
        PluginError
            It is of another `state_version`.
        """
        OwnState.give(state, self)

    @property
    def commands(self) -> Mapping[str, Command]:
        """Commands by name; lookups match without case."""
        return self._table()

    def register_command(
        self,
        name: str,
        function: Callable[..., Any],
        help_text: str = "",
        *,
        reads: Iterable[str] = (),
        writes: Iterable[str] = (),
    ) -> None:
        """Add a command at run time; its parameters come from the signature.

        Parameters
        ----------
        reads, writes
            Parameters that are files, as for `pyrave.command`.

        Raises
        ------
        CommandError
            The name is taken, reserved (``help``, ``commands``) or not one word.
        """
        self._table().register(name, function, help_text, reads, writes)

    def command(self, name: str, /, *args: Any, **kwargs: Any) -> Any:
        """Call a command with Python values and return what it returns.

        Raises
        ------
        CommandError, PluginError
            As `send_command`.
        """
        return self._table().call(name, *args, **kwargs)

    def send_command(self, text: str) -> str | None:
        """Run ``"Name arg ..."`` or ``"Name key value ..."``; return its text.

        ``help``, ``help commands`` and ``help Name`` describe the commands. None is
        returned when the command returned False or None.

        Raises
        ------
        CommandError
            No such command, an unknown, missing or unfit argument.
        PluginError
            The command raised; names it, the object and its plugin, chained to what it
            raised. Errors of pyrave pass as they are.
        """
        return self._table().send(text)

    def send_json_command(
        self, name: str, arguments: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Run a command with arguments by name, as JSON has them; return an object.

        Enums and literals are given as text. A result that is not a mapping comes
        back as ``{"result": ...}``.

        Raises
        ------
        CommandError, PluginError
            As `send_command`.
        """
        return self._table().send_json(name, arguments or {})

    @classmethod
    def read_words(cls, owner: str, words: tuple[str, ...]) -> dict[str, Any]:
        """Return the values of settings that the words behind an id say, by name.

        Overridden where files write them in another way than ``name=value``.

        Parameters
        ----------
        owner
            The id, for messages.

        Raises
        ------
        SettingError
            A word is no setting, says one twice, or says no value of it.
        """
        return values_of_words(cls.settings_type, cls.word_settings, owner, words)

    def _take_settings(self, args: tuple[str, ...], maker: made_by) -> None:
        """Become an object with the settings of words and of who makes it."""
        given: Any = None
        if not maker.is_taken and maker.interface_type == self.interface_type:
            given, maker.is_taken = maker.settings, True
            self._interface_id = maker.interface_id
        kind, owner = self.settings_type, self._interface_id
        if kind is None:
            if given:
                raise SettingError(_undeclared(self, owner, given))
            self._part_settings = None
            return
        if kind is NoSettings and not args and (not given or given == NoSettings()):
            return  # as the class has it
        if given is not None and isinstance(given, kind):
            self._part_settings, self._args = given, ()
            return
        values = self.read_words(owner, args) if args else {}
        for name in [one for one in given or () if one in values]:
            raise SettingError(
                f"{owner} has {name!r} as a word and as a keyword, expected one"
            )
        self._part_settings = made_settings(kind, owner, values | dict(given or {}))
        self._args = ()
        if not given:
            self._words_said = args, self._part_settings

    def _report_problem(self, problem: Problem) -> None:
        self.env.report_problem(problem)

    def _table(self) -> CommandTable:
        if self._command_table is None:
            self._command_table = CommandTable(self)
        return self._command_table

    def __repr__(self) -> str:
        known = getattr(self, "_interface_id", type(self).__name__)
        label = ""
        # an author's name may be computed
        with PluginGuard():
            name = getattr(self, "name", "")
            label = f" {name!r}" if name else ""
        return f"<{self.interface_type} {known}{label}>"


def _undeclared(item: InterfaceBase, owner: str, given: Iterable[str]) -> str:
    return (
        f"{owner} takes no settings by keyword, found {', '.join(map(repr, given))}: "
        f"{type(item).__name__} takes words alone; its author names a frozen dataclass "
        "in settings_type"
    )


def _safe_repr(author: Callable[[Any], str]) -> Callable[[Any], str]:
    """Return a `__repr__` that falls back to that of `InterfaceBase`.

    Messages about objects name them, those about failures first of all.
    """

    @functools.wraps(author)
    def __repr__(self: InterfaceBase) -> str:  # noqa: N807 - its name is shown
        with PluginGuard():
            text = author(self)
            if isinstance(text, str):
                return text
        return InterfaceBase.__repr__(self)

    return __repr__


@dataclasses.dataclass(frozen=True, slots=True)
class OwnState(Immutable):
    """A copy of the state that the author of a class adds to an object.

    Parameters
    ----------
    version
        The `state_version` of the class.
    value
        What `get_own_state` returned.
    """

    version: int
    value: Any

    @classmethod
    def of(cls, item: InterfaceBase) -> OwnState | None:
        """Return the author's part of an object's state, None without one."""
        if type(item).get_own_state is InterfaceBase.get_own_state:
            return None
        return cls(item.state_version, copied(item.get_own_state()))

    @staticmethod
    def give(state: object, item: InterfaceBase) -> None:
        """Give an object what `of` returned; None changes nothing."""
        if state is None:
            return
        if not isinstance(state, OwnState):
            raise ArgumentError(f"state is {state!r}, expected what get_state returned")
        if state.version != item.state_version:
            raise PluginError(
                f"a state of {item!r} has version {state.version}, but the class is at "
                f"state_version {item.state_version}: another version of the plugin "
                "kept it"
            )
        item.set_own_state(copied(state.value))


class author_code:  # noqa: N801 - reads as what it is
    """Runs a method of an author's class in a ``with`` block.

    Raises
    ------
    PluginError
        The method raised; names the object and its plugin. Errors of pyrave and
        `KeyboardInterrupt` pass as they are.
    """

    __slots__ = ("_item", "_method")

    def __init__(self, item: InterfaceBase, method: str) -> None:
        self._item = item
        self._method = method

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, _kind: object, error: BaseException | None, _trace: object
    ) -> None:
        if error is not None and not isinstance(error, (KeyboardInterrupt, Error)):
            raise author_error(self._item, self._method, error) from error


def author_error(item: InterfaceBase, method: str, error: BaseException) -> PluginError:
    """Return the exception for a method of an author's class that raised `error`."""
    return PluginError(
        f"{method}() of {with_origin(item)} raised {error_text(error)}"
        f"{last_frames(error)}"
    )


def with_origin(item: InterfaceBase) -> str:
    """Return an object and the plugin that it comes from, in words."""
    return shown(item) + (f" of plugin {item.plugin!r}" if item.plugin else "")


def read_state(item: InterfaceBase) -> Any:
    """Return the state of an object; raises a `PluginError` as `author_code` does."""
    with PluginGuard() as guard:
        return item.get_state()
    assert guard.error is not None  # noqa: S101 - for the type checker
    raise author_error(item, "get_state", guard.error) from guard.error


def write_state(item: InterfaceBase, state: Any) -> None:
    """Give an object a state; raises a `PluginError` as `author_code` does."""
    with PluginGuard() as guard:
        item.set_state(state)
    if guard.error is not None:
        raise author_error(item, "set_state", guard.error) from guard.error

"""The contract of every interface type: loading, creating, state, commands."""

from __future__ import annotations

import gc
import inspect
import os
import pickle
import re
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import pytest

from pyrave.errors import (
    CommandError,
    Error,
    NotSupportedError,
    PluginError,
    SettingError,
)
from pyrave.interfaces import CONTRACTS, settings_of
from pyrave.interfaces.settings.declarations import are_same, values_of
from pyrave.plugins import default_registry
from pyrave.plugins.contracts import class_problem, interface_base
from pyrave.scene import XmlElement, XmlReadable
from pyrave.testing.comparison import difference
from pyrave.testing.contracts.plugin import Contract
from pyrave.testing.scene import ARM, KIT_SCENE

if TYPE_CHECKING:
    from pyrave.bodies import KinBody, Robot
    from pyrave.environment import Environment
    from pyrave.interfaces import Setting
    from pyrave.plugins import PluginRecord


def refuses(errors: Any, call: Callable[..., object], *args: Any, **named: Any) -> bool:
    """Return True if a call raises one of the errors."""
    try:
        call(*args, **named)
    except errors:
        return True
    return False


def _checked(one: Setting) -> None:
    if one.default is not None and not one.kind:
        one.check(one.name, one.default)


def optional(made: Any, calls: dict[str, tuple[Any, ...]]) -> Iterator[tuple[str, Any]]:
    """Call methods with arguments; give names and results of those it supports."""
    for name, arguments in calls.items():
        with suppress(NotSupportedError):
            yield name, getattr(made, name)(*arguments)


@pytest.mark.filterwarnings("ignore:no collision checker is installed")
class InterfaceContract(Contract):
    """Contract of all interfaces; derive from the contract of a type.

    Each test works on a new environment. The first method that its docstring names in
    double backticks is the one to look at when it fails.
    """

    interface_type: ClassVar[str]
    """One of the 13 types; the contract of the type states it."""
    interface: ClassVar[str | Callable[..., Any]]
    """``"Id args"`` of an installed plugin, or a class or factory."""
    scene: ClassVar[str | os.PathLike[str] | None] = None
    """XML text or file of the scene to test in; None is `KIT_SCENE`."""

    def new_environment(self) -> Environment:
        """Return another environment with the scene of the test."""
        from pyrave.environment import Environment

        env, scene = Environment(), self.scene
        if scene is None or (isinstance(scene, str) and scene.lstrip()[:1] == "<"):
            env.load_string(KIT_SCENE if scene is None else scene, strict=True)
        else:
            env.load(scene, strict=True)
        if not isinstance(type(self).interface, str):
            factory: Any = type(self).interface
            env.register(self.interface_type, self.interface_id, factory)
        return env

    def setup_object(self, made: Any) -> None:
        """Prepare each new object; override it to give settings or readables."""

    def not_applicable(self, reason: str) -> NoReturn:
        """Skip a test of what the interface does not offer."""
        pytest.skip(reason)

    @pytest.fixture
    def env(self) -> Environment:
        """Return the environment of the test."""
        return self.new_environment()

    @property
    def interface_id(self) -> str:
        """The id, without arguments."""
        given = type(self).interface
        return given.split()[0] if isinstance(given, str) else given.__name__

    @property
    def installed(self) -> bool:
        """True if another process makes the same objects."""
        return isinstance(type(self).interface, str) and self.as_created

    @property
    def records(self) -> tuple[PluginRecord, ...]:
        """Records of the plugin; empty for an interface that a script registers."""
        registry = default_registry()
        try:
            found = registry.provider(self.interface_type, self.interface_id)
        except PluginError:
            return ()  # a script's, or test_loads fails
        if not found.distribution:
            return ()  # a plugin from a path
        return registry.find_plugin(found.distribution).records

    @property
    def as_created(self) -> bool:
        """True if objects are tested as the constructor leaves them."""
        return type(self).setup_object is InterfaceContract.setup_object

    def factory(self, env: Environment) -> Any:
        """Return the class or factory.

        Raises
        ------
        PluginError
            It cannot be imported, or does not fit.
        """
        return env.registry.provider(self.interface_type, self.interface_id).load()

    def implementation(self, env: Environment) -> type:
        """Return the class of the objects."""
        try:
            factory = self.factory(env)
        except Error as error:
            self.not_applicable(f"no object to test: {error}".partition("\n")[0])
        return factory if isinstance(factory, type) else type(self.make(env))

    def words(self, env: Environment) -> str:
        """Return ``"Id args"``, with the class's `testing_arguments` if it has any."""
        given = type(self).interface
        text = given if isinstance(given, str) else self.interface_id
        if len(text.split()) > 1:
            return text
        extra = getattr(self.factory(env), "testing_arguments", "")
        return f"{text} {extra}".strip()

    def make(self, env: Environment) -> Any:
        """Return a new object."""
        try:
            made = env.create(self.interface_type, self.words(env))
        except PluginError as error:
            self.not_applicable(f"no object to test: {error}".partition("\n")[0])
        self.setup_object(made)
        return made

    def offered(self, call: Callable[..., Any], *args: Any) -> Any:
        """Return the result of an optional method; skip the test without it."""
        try:
            return call(*args)
        except NotSupportedError as error:
            self.not_applicable(str(error))

    def ready(self, env: Environment) -> Any:
        """Return a new object in the state in which environments use it."""
        return self.make(env)

    def arm(self, env: Environment) -> Robot:
        """Return the robot to test with: ``kit_arm``, or the first one with joints."""
        moving = (one for one in env.robots if one.dof)
        robot = env.robots.get(ARM) or next(moving, None)
        if robot is None:
            self.not_applicable("the scene has no robot with joints")
        return robot

    def body(self, env: Environment, name: str) -> KinBody:
        """Return a body of the kit's scene."""
        body = env.bodies.get(name)
        if body is None:
            self.not_applicable(f"the scene has no {name!r} of KIT_SCENE")
        return body

    def location(self, test: Callable[..., object]) -> str:
        """Return ``Class.method (file:line)``, where to look when a test fails."""
        try:
            factory: Any = self.factory(self.new_environment())
        except Error:
            return self.interface_id
        names = re.findall(r"``(\w+)", inspect.getdoc(test) or "")
        name = next((one for one in names if hasattr(factory, one)), "__init__")
        target = getattr(factory, name)
        target = inspect.unwrap(getattr(target, "fget", None) or target)
        try:
            line = inspect.getsourcelines(target)[1]
            file = f" ({inspect.getsourcefile(target)}:{line})"
        except (OSError, TypeError):
            file = ""
        return f"{factory.__name__}.{name}{file}"

    def test_loads(self, env: Environment) -> None:
        """The entry point can be imported and names a complete class of the type."""
        try:
            factory = self.factory(env)
        except Error as error:
            raise AssertionError(
                f"{error}\nrepair the entry point in pyproject.toml or the module that "
                "it names, and install the package again"
            ) from error
        assert callable(factory)
        if isinstance(factory, type):
            assert class_problem(factory, self.interface_type) is None

    def test_creates(self, env: Environment) -> None:
        """`env.create(type, 'Id args')` returns an object that knows its env."""
        self.implementation(env)
        try:
            made: Any = env.create(self.interface_type, self.words(env))
        except PluginError as error:
            raise AssertionError(
                f"{error}\nthe constructor is called as Class(env, *words); a class "
                'that needs words states some for its tests: testing_arguments = "..."'
            ) from error
        assert isinstance(made, interface_base(self.interface_type))
        assert made.env is env, "hand env on: super().__init__(env, *args)"
        wanted = self.interface_id.rpartition(":")[2].lower()
        assert made.interface_id.lower() == wanted, "do not override interface_id"
        assert isinstance(repr(made), str)

    def test_constructor(self, env: Environment) -> None:
        """A class or factory is called as `Class(env, *args: str)`."""
        self.implementation(env)
        factory = self.factory(env)
        try:
            signature = inspect.signature(factory)
        except ValueError:
            self.not_applicable("the factory has no Python signature")
        arguments = self.words(env).split()[1:]
        fix = (
            "write def __init__(self, env, *args: str), with defaults for what has one"
        )
        assert not refuses(TypeError, signature.bind, env, *arguments), fix
        first = next(iter(signature.parameters.values()))
        assert first.kind is not first.KEYWORD_ONLY, "env is given by position"

    def test_contract_stated(self, env: Environment) -> None:
        """A class states in its own body the contract number it was written for."""
        cls, ours = self.implementation(env), CONTRACTS[self.interface_type]
        stated, fix = vars(cls).get("contract"), f"write `contract = {ours}` in it"
        assert ours in (stated if isinstance(stated, range) else (stated,)), fix

    def test_documented(self, env: Environment) -> None:
        """A class has a docstring, which listings and help show."""
        text = vars(self.implementation(env)).get("__doc__")
        assert (text or "").strip(), "say in one sentence what the class does"

    def test_settings_declared(self, env: Environment) -> None:
        """Each setting is declared, with its meaning (``settings_type``)."""
        cls: Any = self.implementation(env)
        known = settings_of(cls.settings_type)
        for name, one in known.items():
            fix = f"say what {name!r} is: setting({one.default!r}, 'its meaning', ...)"
            assert one.help.strip(), fix
            fix = f"the default of {name!r} is none of its own values"
            assert not refuses(Error, _checked, one), fix

    def test_settings_refused(self, env: Environment) -> None:
        """Unknown settings and values of other types are refused and change nothing."""
        made = self.make(env)
        fix = "do not override change_settings"
        assert refuses(SettingError, made.change_settings, no_such_setting=1), fix
        before = made.settings
        for name in settings_of(made.settings_type):
            assert refuses(Error, made.change_settings, **{name: object()}), (
                f"{name!r} takes anything; annotate its type"
            )
            assert are_same(made.settings, before), fix
        assert refuses(
            SettingError,
            env.create,
            self.interface_type,
            self.words(env),
            no_such_setting=1,
        ), "name what can be set in settings_type"

    def test_settings_change(self, env: Environment) -> None:
        """Settings change to values that they have (``settings_changed``)."""
        made = self.make(env)
        before = made.settings
        if before is not None:
            made.change_settings(**values_of(before))
        fix = "let settings_changed take over what it is given"
        assert are_same(made.settings, before), fix

    def test_env_goes_away(self) -> None:
        """An environment without references goes away, with the objects made for it."""
        env = self.new_environment()
        made, reference = self.make(env), weakref.ref(env)
        del env, made
        gc.collect()
        assert reference() is None, (
            "keep env, bodies and bound methods in the object, never in module-level "
            "lists, caches or threads"
        )

    def test_goes_away(self, env: Environment) -> None:
        """An object without references goes away, with its threads."""
        threads = threading.active_count()
        made = self.make(env)
        list(made.commands)
        reference = weakref.ref(made)
        del made
        gc.collect()
        fix = "do not keep self in module-level lists, threads or callbacks of the env"
        assert reference() is None, fix
        fix = "end threads with the object: weakref.finalize(self, stop)"
        assert threading.active_count() <= threads, fix

    def test_state(self, env: Environment) -> None:
        """The result of ``get_state`` pickles; ``set_state`` makes a twin equal."""
        made, twin = self.ready(env), self.ready(self.new_environment())
        first = made.get_state()
        try:
            copy = pickle.loads(pickle.dumps(first))  # noqa: S301 - our own pickle
        except Exception as error:
            raise AssertionError(
                f"the state does not pickle: {error!r}; return plain data (numbers, "
                "texts, arrays, dataclasses) from get_state"
            ) from error
        twin.set_state(copy)
        fix = "set_state takes everything that get_state returned"
        assert difference(first, twin.get_state()) is None, fix

    def test_commands(self, env: Environment) -> None:
        """Commands have help and typed parameters; ``send_command`` knows no others."""
        made, fix = self.ready(env), "do not override send_command"
        assert made.send_command("help"), fix
        assert refuses(CommandError, made.send_command, "no_such_command"), fix
        for name, one in made.commands.items():
            assert one.help.strip(), f"give the method {name!r} a docstring"
            assert made.send_command(f"help {name}"), fix
            signature = inspect.signature(one.function)
            for parameter in one.parameters:
                given = signature.parameters[parameter.name].annotation
                assert given is not inspect.Parameter.empty, (
                    f"annotate {parameter.name!r} of {name!r}: int, float, bool, str, "
                    "an enum, Literal or list[...]"
                )

    def test_readables(self, env: Environment) -> None:
        """An object takes any readable (``readable_changed``) and keeps it by key."""
        made, given = self.make(env), XmlReadable(XmlElement("pyravekit", text="1 2 3"))
        made.set_readable("PyraveKit", given)
        fix = "ignore unknown keys in readable_changed, and raise nothing"
        assert made.readables.get("pyravekit") is given, fix

    def test_independent(self, env: Environment) -> None:
        """Two objects of one class share no user data, readables or commands."""
        first, second = self.make(env), self.make(env)
        first.user_data["kit"] = 1
        first.set_readable("kit", XmlReadable(XmlElement("kit")))
        first.register_command("kit_command", lambda: True, "Do nothing.")
        fix = "keep data in self, not on the class; call super().__init__(env, *args)"
        assert "kit" not in second.user_data, fix
        assert "kit" not in second.readables, fix
        assert "kit_command" not in second.commands, fix

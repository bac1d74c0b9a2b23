"""Checks that hold for all 13 interface types."""
# ruff: noqa: D103 - each decorator states what its function checks

from __future__ import annotations

import gc
import inspect
import pickle
import threading
import weakref
from typing import Any

from pyrave.errors import CommandError, Error
from pyrave.interfaces.base import CONTRACTS, InterfaceBase
from pyrave.plugins.contracts import class_problem, interface_base
from pyrave.scene import XmlElement, XmlReadable
from pyrave.testing.checks import NotApplicable, Violation, check, require
from pyrave.testing.compare import difference
from pyrave.testing.subject import CreationFailedError, Subject


@check(
    "loads",
    "The entry point can be imported and names a complete class of the right type.",
)
def loads(subject: Subject) -> None:
    try:
        factory: Any = subject.factory()
    except Error as error:
        raise Violation(
            str(error),
            "repair the entry point in pyproject.toml or the module that it names, "
            "and install the package again",
        ) from error
    require(callable(factory), f"{factory!r} cannot be called")
    if isinstance(factory, type):
        problem = class_problem(factory, subject.interface_type)
        require(
            problem is None,
            problem or "",
            f"derive from {interface_base(subject.interface_type).__name__} and write "
            "every abstract method",
        )


@check("creates", "`env.create(type, 'Id args')` returns an object that knows its env.")
def creates(subject: Subject) -> None:
    try:
        made = subject.make()
    except CreationFailedError as error:
        raise Violation(
            str(error),
            "the constructor is called as Class(env, *words); when it needs words "
            'state some for the kit: testing_arguments = "..." in the class',
        ) from error
    base = interface_base(subject.interface_type)
    require(isinstance(made, base), f"it made a {type(made).__name__}, not {base}")
    require(
        made.env is subject.env,
        "its env is not the environment that was given",
        "hand env on: super().__init__(env, *args)",
    )
    require(
        made.interface_id.lower() == subject.interface_id.rpartition(":")[2].lower(),
        f"its interface_id is {made.interface_id!r}, not {subject.interface_id!r}",
        "do not override interface_id",
    )
    require(isinstance(repr(made), str), "repr() of it is no text")


@check("constructor", "A class or factory is called as `Class(env, *args: str)`.")
def constructor(subject: Subject) -> None:
    factory = subject.factory()
    try:
        signature = inspect.signature(factory)
    except ValueError:
        raise NotApplicable("the factory has no Python signature") from None
    words = subject.words.split()[1:]
    try:
        signature.bind(subject.env, *words)
    except TypeError as error:
        raise Violation(
            f"{subject.interface_id}{signature} does not take (env, *{words}): {error}",
            "write def __init__(self, env, *args: str), with defaults for what has one",
        ) from error
    first = next(iter(signature.parameters.values()))
    require(
        first.kind is not first.KEYWORD_ONLY,
        f"the first parameter of {signature} is keyword-only",
        "the environment is given by position",
    )


@check(
    "contract-stated",
    "A class states in its own body the contract number it was written for.",
)
def contract_stated(subject: Subject) -> None:
    cls, ours = subject.cls, CONTRACTS[subject.interface_type]
    require(
        "contract" in vars(cls),
        f"{cls.__name__} has no `contract` in its own body",
        f"write `contract = {ours}` in the class, so that a later pyrave can tell you "
        "when it no longer fits",
    )
    require(
        vars(cls)["contract"] == ours,
        f"{cls.__name__} states contract {vars(cls)['contract']!r}",
        f"this pyrave has contract {ours} of {subject.interface_type}",
    )


@check("documented", "A class has a docstring: it is what listings and help show.")
def documented(subject: Subject) -> None:
    cls = subject.cls
    require(
        (vars(cls).get("__doc__") or "").strip(),
        f"{cls.__name__} has no docstring",
        "say in one sentence what it does; `pyrave plugins` and help show it",
    )


@check(
    "env-goes-away",
    "An environment that nobody refers to goes away, with the objects made for it.",
)
def env_goes_away(subject: Subject) -> None:
    made = subject.make()
    reference = weakref.ref(subject.env)
    subject.forget_environment()
    del made
    gc.collect()
    require(
        reference() is None,
        "the environment is still there when nothing refers to it and the object",
        "keep env, bodies and bound methods in the object, never in module-level "
        "lists, caches or threads",
    )


@check(
    "goes-away",
    "An object that nobody refers to goes away, with its threads.",
)
def goes_away(subject: Subject) -> None:
    threads = threading.active_count()
    env = subject.env
    made = subject.make()
    list(made.commands)
    reference = weakref.ref(made)
    del made
    gc.collect()
    require(
        reference() is None,
        "the object is still there when nothing refers to it",
        "do not keep self in module-level lists, threads or callbacks of the env",
    )
    require(
        threading.active_count() <= threads,
        f"it left {threading.active_count() - threads} threads running",
        "end the thread when the object goes away: weakref.finalize(self, stop)",
    )
    require(env is subject.env, "")


@check(
    "state",
    "What get_state returns pickles, and set_state of a twin makes it equal.",
    "set_state",
)
def state(subject: Subject) -> None:
    made, elsewhere = subject.ready(), subject.environment()
    twin = subject.ready(elsewhere)
    first = made.get_state()
    try:
        copy = pickle.loads(pickle.dumps(first))  # noqa: S301 - our own pickle
    except Exception as error:
        raise Violation(
            f"the state does not pickle: {type(error).__name__}: {error}",
            "return plain data (numbers, texts, arrays, dataclasses) from get_state",
        ) from error
    twin.set_state(copy)
    found = difference(first, twin.get_state())
    require(
        found is None,
        f"the twin's state differs: {found}",
        "set_state takes over everything that get_state returned",
    )


@check(
    "commands",
    "Commands have help and typed parameters; unknown ones raise CommandError.",
    "send_command",
)
def commands(subject: Subject) -> None:
    made = subject.ready()
    text = made.send_command("help")
    require(text, "'help' returned nothing", "do not override send_command")
    try:
        made.send_command("no_such_command_of_pyrave_testing")
    except CommandError:
        pass
    else:
        raise Violation(
            "an unknown command raised no CommandError", "do not override send_command"
        )
    for name, one in made.commands.items():
        require(
            one.help.strip(),
            f"command {name!r} has no help",
            f"give the method {name!r} a docstring",
        )
        signature = inspect.signature(one.function)
        for parameter in one.parameters:
            annotation = signature.parameters[parameter.name].annotation
            require(
                annotation is not inspect.Parameter.empty,
                f"parameter {parameter.name!r} of command {name!r} has no type",
                "annotate it: int, float, bool, str, an enum, Literal or list[...]",
            )
        require(
            made.send_command(f"help {name}"),
            f"'help {name}' returned nothing",
        )


@check(
    "readables",
    "An object takes any readable and finds it again under its key, without case.",
    "readable_changed",
)
def readables(subject: Subject) -> None:
    made = subject.make()
    given = XmlReadable(XmlElement("pyravekit", text="1 2 3"))
    made.set_readable("PyraveKit", given)
    require(
        "pyravekit" in made.readables and made.readables["pyravekit"] is given,
        "the readable set under 'PyraveKit' is not in readables",
        "ignore keys that you do not know in readable_changed, and raise nothing",
    )


@check(
    "independent",
    "Two objects of one class share no user data, readables or commands.",
)
def independent(subject: Subject) -> None:
    first: InterfaceBase = subject.make()
    second: InterfaceBase = subject.make()
    first.user_data["kit"] = 1
    first.set_readable("kit", XmlReadable(XmlElement("kit")))
    first.register_command("kit_command", lambda: True, "Do nothing.")
    require(
        "kit" not in second.user_data
        and "kit" not in second.readables
        and "kit_command" not in second.commands,
        "what was given to one object is seen on another",
        "keep data in self, not on the class; call super().__init__(env, *args)",
    )

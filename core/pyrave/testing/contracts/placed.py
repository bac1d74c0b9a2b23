"""The contract of types whose objects belong to an environment and are cloned."""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from pyrave.scene import XmlElement, XmlReadable
from pyrave.testing.attributes import (
    changed_attributes,
    class_attributes,
    own_attributes,
    shared_attribute,
)
from pyrave.testing.comparison import difference
from pyrave.testing.contracts.interface import InterfaceContract
from pyrave.testing.scene import failures

if TYPE_CHECKING:
    from pyrave.environment import Environment

_ROUNDING = 1e-9
NAME = "kit_subject"
"""Name of the object under test where objects have names."""


def assert_no_failure(env: Environment) -> None:
    """Fail with the tracebacks of what objects in the environment raised."""
    text = "\n".join(f"{one.message}\n{one.traceback}" for one in failures(env))
    assert not text, text


class PlacedContract(InterfaceContract, ABC):
    """Contract of objects that are stepped, cloned and pickled with their scene."""

    def place(self, env: Environment, made: Any) -> None:
        """Put a ready object where it works."""
        env.add(made)

    @abstractmethod
    def placed(self, env: Environment) -> Any:
        """Return the object that `place` put there, or its copy."""

    def take_out(self, env: Environment, made: Any) -> None:
        """Take the object out of its environment."""
        env.remove(made)

    def running(self, env: Environment) -> Any:
        """Return an object that has been stepped in its place."""
        made = self.ready(env)
        made.set_readable("pyravekit", XmlReadable(XmlElement("pyravekit", text="7")))
        self.place(env, made)
        for _ in range(3):
            env.step(0.01)
        return made

    def test_runs(self, env: Environment) -> None:
        """An environment steps without a failure of ``simulation_step``."""
        made = self.running(env)
        assert_no_failure(env)
        assert not made.disabled, "an object whose step raises is switched off"

    def test_clones(self, env: Environment) -> None:
        """A clone of the environment has an equal copy: ``set_state`` makes it so."""
        made, clone = self.running(env), env.clone()
        twin = self.placed(clone)
        assert_no_failure(clone)
        assert twin is not None, (
            "a clone calls Class(env, *args), sets the readables, adds the object and "
            "calls set_state(get_state())"
        )
        assert type(twin) is type(made)
        assert twin is not made
        assert twin.env is clone
        assert "pyravekit" in twin.readables, "keep self.readables in the constructor"
        before = made.get_state()
        fix = "get_state returns all that changes, set_state restores it"
        assert difference(before, twin.get_state()) is None, fix
        for _ in range(3):
            clone.step(0.01)
        fix = "stepping a clone changes the original: copy arrays in get_state"
        assert difference(before, made.get_state()) is None, fix

    def exercise(self, env: Environment, made: Any) -> None:
        """Give the object something to do; `test_state_is_whole` then steps it."""

    def test_state_is_whole(self, env: Environment) -> None:
        """State that changes in a run is in the clone (``get_own_state``)."""
        made = self.ready(env)
        self.place(env, made)
        before, of_class = own_attributes(made), class_attributes(type(made))
        self.exercise(env, made)
        for _ in range(5):
            env.step(0.01)
        now = changed_attributes(made, before)
        for name, value in class_attributes(type(made)).items():
            fix = f"{name} is one for all objects of the class; make it in __init__"
            assert difference(of_class[name], value) is None, fix
        clone = env.clone()
        twin = self.placed(clone)
        assert twin is not None, "the clone has none"
        # what is computed when it is needed is there after a step
        for one in (env, clone, env, clone):
            one.step(0.05)
        mine, theirs = own_attributes(made), own_attributes(twin)
        for name in now:
            fix = (
                f"{name} changes while it runs, and is not in the clone; return it "
                "from get_own_state, or name it in testing_caches"
            )
            seen = mine.get(name), theirs.get(name)
            assert difference(*seen, name, _ROUNDING) is None, fix
        assert shared_attribute(made, twin) is None, (
            "original and clone share these data; copy them in set_own_state"
        )

    def test_removable(self, env: Environment) -> None:
        """An object can be taken out of its environment, which goes on without it."""
        made = self.running(env)
        self.take_out(env, made)
        env.step(0.01)
        assert_no_failure(env)
        assert self.placed(env) is not made

    def test_pickles(self, env: Environment) -> None:
        """An environment pickles, and its copy has an equal object (``get_state``)."""
        if not self.installed:
            self.not_applicable("objects of a script do not travel in a pickle")
        made = self.running(env)
        made.described = True
        copy = pickle.loads(pickle.dumps(env))  # noqa: S301 - our own pickle
        twin = self.placed(copy)
        assert_no_failure(copy)
        assert type(twin) is type(made)
        fix = "get_state returns all that changes, set_state restores it"
        assert difference(made.get_state(), twin.get_state()) is None, fix


class EngineContract(PlacedContract):
    """A placed object of which an environment always has one."""

    attribute: str
    """Name of the environment's attribute that holds it."""

    def placed(self, env: Environment) -> Any:
        """Return the one in use."""
        return getattr(env, self.attribute)

    def take_out(self, env: Environment, made: Any) -> None:
        """Use the default of the type."""
        setattr(env, self.attribute, env.create(self.interface_type, ""))

    def installed_in(self, env: Environment) -> Any:
        """Return a new object that is in use."""
        made = self.make(env)
        setattr(env, self.attribute, made)
        return made


class NamedContract(PlacedContract):
    """A placed object that is found by its name."""

    collection: str

    def place(self, env: Environment, made: Any) -> None:
        """Add it under the kit's name."""
        made.name = NAME
        env.add(made)

    def placed(self, env: Environment) -> Any:
        """Return the object of a name."""
        return getattr(env, self.collection).get(NAME)

"""Template of a module: commands and a step."""

from pyrave.plugins.templates.base import TypeTemplate

__all__ = ["TEMPLATE"]

_SOURCE = '''"""The module @id@."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave.interfaces import ModuleBase, command

if TYPE_CHECKING:
    from pyrave.interfaces import EnvironmentProtocol


class @id@(ModuleBase):
    """Counts simulation steps and finds bodies by name."""

    contract = 1

    def __init__(self, env: EnvironmentProtocol, *args: str) -> None:
        super().__init__(env, *args)
        self._n_steps = 0

    def simulation_step(self, dt: float) -> bool:
        """Count the step."""
        self._n_steps += 1
        return True

    def reset(self) -> None:
        """Start counting anew."""
        self._n_steps = 0

    @command
    def steps(self) -> int:
        """Return the number of simulation steps since the last reset."""
        return self._n_steps

    @command
    def find(self, text: str, limit: int = 10) -> str:
        """Return the names of at most `limit` bodies whose name contains `text`."""
        found = [body.name for body in self.env.bodies if text in body.name]
        return " ".join(found[:limit])

    def get_state(self) -> int:
        """Return what a clone of the environment needs."""
        return self._n_steps

    def set_state(self, state: int) -> None:
        """Take over what `get_state` returned."""
        self._n_steps = int(state or 0)
'''

_TEST = '''"""The commands of @id@."""


def test_commands_as_text_and_as_calls(scene):
    module = next(m for m in scene.modules if m.interface_id == "@id@")
    scene.step(0.01)
    scene.step(0.01)
    assert module.command("steps") == 2
    assert module.send_command("steps") == "2"
    assert module.send_command("find ball") == "ball"
    assert module.command("find", text="a", limit=1) != ""
    assert "limit" in module.send_command("help find")


def test_reset_starts_anew(scene):
    module = scene.create("module", "@id@")
    module.simulation_step(0.1)
    module.reset()
    assert module.command("steps") == 0
'''

TEMPLATE = TypeTemplate(_SOURCE, _TEST, '  <module type="@id@"/>\n')

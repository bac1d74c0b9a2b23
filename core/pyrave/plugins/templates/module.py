"""Template of a module: commands and a step."""

from pyrave.plugins.templates.base import TypeTemplate

_SOURCE = '''
class @id@(ModuleBase):
    """Counts simulation steps and finds bodies by name."""

    contract = 1

    @override@ __init__
        super().__init__(env, *args)
        self._n_steps = 0

    @override@ simulation_step
        self._n_steps += 1
        return True

    @override@ reset
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

    @override@ get_own_state
        return self._n_steps

    @override@ set_own_state
        self._n_steps = state
'''

_TEST = """
def test_commands_as_text_and_as_calls(scene):
    module = next(m for m in scene.modules if m.interface_id == "@id@")
    scene.step(0.01)
    scene.step(0.01)
    assert module.command("steps") == 2
    assert module.send_command("find ball") == "ball"
    assert "limit" in module.send_command("help find")
    module.reset()
    assert module.send_command("steps") == "0"
"""

TEMPLATE = TypeTemplate(_SOURCE, _TEST, '  <module type="@id@"/>\n')

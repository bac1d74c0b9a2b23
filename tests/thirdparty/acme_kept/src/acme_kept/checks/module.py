"""The module KeptModule keeps its contract, and works."""

from __future__ import annotations

from pyrave.testing import ModuleContract


class TestKeptModule(ModuleContract):
    interface = "acme-kept:KeptModule"


def test_commands_as_text_and_as_calls(scene):
    module = next(m for m in scene.modules if m.interface_id == "KeptModule")
    scene.step(0.01)
    scene.step(0.01)
    assert module.command("steps") == 2
    assert module.send_command("find ball") == "ball"
    assert "limit" in module.send_command("help find")
    module.reset()
    assert module.send_command("steps") == "0"

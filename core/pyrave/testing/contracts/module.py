"""The contract of modules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave.testing.attributes import own_attributes
from pyrave.testing.comparison import difference
from pyrave.testing.contracts.placed import NamedContract, assert_no_failure

if TYPE_CHECKING:
    from pyrave.environment import Environment
    from pyrave.interfaces import ModuleBase


class ModuleContract(NamedContract):
    """Contract of modules."""

    interface_type = "module"
    collection = "modules"

    def _added(self, env: Environment) -> ModuleBase:
        module: ModuleBase = self.make(env)
        env.add(module)
        return module

    def test_main(self, env: Environment) -> None:
        """``main(args)`` returns an int, 0 when all is well, also without arguments."""
        code = self.make(env).main("")
        assert isinstance(code, int), "end main with `return 0`"
        assert not isinstance(code, bool), "end main with `return 0`"
        assert code == 0, "give every argument a default; other values are failures"

    def test_step(self, env: Environment) -> None:
        """``simulation_step(dt)`` returns a bool: whether it worked."""
        assert isinstance(self._added(env).simulation_step(0.01), bool)

    def test_reset(self, env: Environment) -> None:
        """``reset()`` may be called any number of times, also before a step."""
        module = self._added(env)
        module.reset()
        first, own = module.get_state(), own_attributes(module)
        for _ in range(3):
            env.step(0.01)
        module.reset()
        fix = "reset returns to the state after main, whatever came before"
        assert difference(first, module.get_state()) is None, fix
        now = own_attributes(module)
        for name in own.keys() & now.keys():
            assert difference(own[name], now[name], name) is None, fix
        env.step(0.01)
        env.reset()
        assert_no_failure(env)

    def test_destroy(self, env: Environment) -> None:
        """``destroy()`` may be called twice."""
        module = self._added(env)
        module.destroy()
        module.destroy()
        env.remove(module)

    def test_several(self, env: Environment) -> None:
        """Two modules of one id live side by side under different names."""
        first, second = self._added(env), self._added(env)
        assert first.name != second.name, "do not override `name` of ModuleBase"
        assert len(env.modules) >= 2
        env.step(0.01)
        assert_no_failure(env)

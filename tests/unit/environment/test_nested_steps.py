"""Code that a step calls cannot make another one."""

import pytest

import pyrave
from pyrave.plugins import Registry


class Runaway(pyrave.ModuleBase):
    """Steps its environment in each step."""

    contract = 1

    def main(self, args):
        return 0

    def simulation_step(self, dt):
        self.env.step(dt)


def test_a_module_that_steps_is_disabled_at_once(env):
    module = Runaway(env)
    env.add(module)
    env.step(0.01)
    assert env.simulation_time == 0.01
    assert module.disabled
    assert "StateError: env.step() is called by code that runs in a step" in (
        env.problems[-1].message
    )
    env.step(0.01)
    assert env.simulation_time == 0.02
    assert len(env.problems) == 1


@pytest.mark.parametrize("hook", ["pyrave_step_begin", "pyrave_step_end"])
def test_a_hook_that_steps_is_taken_out_of_use(tmp_path, hook):
    path = tmp_path / "runaway.py"
    path.write_text(
        f"import pyrave\n@pyrave.hookimpl\ndef {hook}(env, dt): env.step(dt)\n"
    )
    env = pyrave.Environment(Registry(disabled=()))
    env.registry.load_path(path, allow=True)
    env.step(0.01)
    env.step(0.01)
    assert env.simulation_time == 0.02
    (problem,) = env.problems
    assert "runaway is out of use" in problem.message
    assert "StateError" in problem.message


def test_steps_of_another_environment_are_its_own(env):
    other = pyrave.Environment()

    class Twin(pyrave.ModuleBase):
        contract = 1

        def main(self, args):
            return 0

        def simulation_step(self, dt):
            other.step(dt)

    env.add(Twin(env))
    env.step(0.01)
    assert other.simulation_time == env.simulation_time == 0.01
    assert not env.problems

"""Two packages with one id: who is used, who is told, and what saved scenes say."""

import pickle

import pytest

import pyrave
from pyrave.environment import Environment
from pyrave.plugins import Registry, discover

MODULE = """
from pyrave import ModuleBase

class Task(ModuleBase):
    contract = 1

    def main(self, args=""):
        return 0
"""

SCENE = """<environment>{plugin}<module type="{id}" name="worker"/></environment>"""


@pytest.fixture
def env(site, monkeypatch):
    for name in ("alpha", "bravo"):
        site.distribution(
            f"dist-{name}",
            {"pyrave.module": {"Task": f"{name}_code:Task"}},
            sources={f"{name}_code": MODULE},
        )
    registry = Registry(discover(), disabled=())
    # what unpickling and new environments use
    monkeypatch.setattr("pyrave.plugins.registry._default", [registry])
    return Environment(registry)


def scene(wanted="Task", plugin=""):
    tag = f"<plugin>{plugin}</plugin>" if plugin else ""
    return SCENE.format(id=wanted, plugin=tag)


def load(env, text):
    env.load_string(text)
    return env.modules["worker"]


def codes(env):
    return [problem.code for problem in env.problems]


def test_a_scene_that_names_such_an_id_is_warned(env):
    assert load(env, scene()).plugin == "dist-alpha"
    assert codes(env) == ["ambiguous-interface"]
    (problem,) = env.problems
    assert "dist-alpha and dist-bravo" in problem.message
    assert "<string>:1:14" in str(problem)


@pytest.mark.parametrize("wanted", ["dist-bravo:Task", "DIST_BRAVO:task"])
def test_a_scene_that_names_the_distribution_is_not(env, wanted):
    assert load(env, scene(wanted)).plugin == "dist-bravo"
    assert codes(env) == []


def test_a_plugin_tag_decides(env):
    assert load(env, scene(plugin="dist-bravo")).plugin == "dist-bravo"
    assert codes(env) == []


@pytest.mark.parametrize("copied", ["text", "pickle", "clone"])
def test_copies_are_of_the_same_package(env, copied, tmp_path):
    module = env.create("module", "dist-bravo:Task")
    module.name = "worker"
    env.add(module)
    if copied == "text":
        other = Environment(env.registry)
        env.save(tmp_path / "scene.env.xml")
        other.load(tmp_path / "scene.env.xml")
    elif copied == "clone":
        other = env.clone()
    else:
        other = pickle.loads(pickle.dumps(env))  # noqa: S301 - made here
    assert other.modules["worker"].plugin == "dist-bravo"
    assert codes(other) == []


def test_an_id_of_one_package_is_written_as_it_is(env):
    env.registry.block("dist-alpha")
    env.add(env.create("module", "Task"))
    (described,) = env.describe().interfaces
    assert described.interface == "Task"


def test_what_a_script_shadows_is_written_with_its_package(env):
    env.registry.block("dist-alpha")
    env.add(env.create("module", "Task"))
    with env.register("module", "Task", pyrave.ModuleBase):
        (described,) = env.describe().interfaces
        assert described.interface == "dist-bravo:Task"

"""Classes whose metaclass, attributes or objects raise where they are looked at."""

import pytest

import pyrave
from pyrave.plugins import PluginState, Registry

META = """
import abc
import pyrave

class Meta(abc.ABCMeta):
    def __getattribute__(cls, name):
        if name in {"contract", "__module__", "__qualname__"}:
            raise SystemExit("no " + name)
        return super().__getattribute__(name)

class Task(pyrave.ModuleBase, metaclass=Meta):
    contract = 1
    def main(self, args): return 0
"""
FACTORY = """
import pyrave

class Task(pyrave.ModuleBase):
    contract = 1
    def main(self, args): return 0
    {more}

def make(env, *args):
    return Task(env, *args)
"""


@pytest.fixture
def made(site):
    def make(source, value):
        groups = {"pyrave.module": {"Task": f"surprising:{value}"}}
        site.distribution("surprising", groups, sources={"surprising": source})
        return pyrave.Environment(Registry(disabled=()))

    return make


def test_a_metaclass_that_raises_breaks_its_plugin_only(made):
    env = made(META, "Task")
    env.registry.load_all()
    (record,) = (r for r in env.registry.records() if r.distribution == "surprising")
    assert record.state is PluginState.BROKEN
    assert "looking at surprising:Task raised: SystemExit: no" in record.reason
    with pytest.raises(pyrave.PluginError, match="SystemExit: no"):
        env.create("module", "Task")


def test_an_object_that_raises_where_it_is_looked_at_is_not_made(made):
    more = "@property\n    def __class__(self): raise SystemExit"
    env = made(FACTORY.format(more=more), "make")
    with pytest.raises(pyrave.InterfaceCreationError, match="SystemExit"):
        env.create("module", "Task")


@pytest.mark.parametrize("value", ["Task", "make"])
def test_the_registry_names_what_it_makes_without_asking_it(made, value):
    more = (
        "def __setattr__(self, name, value):\n"
        "        if name == '_plugin' and value: raise SystemExit\n"
        "        super().__setattr__(name, value)"
    )
    env = made(FACTORY.format(more=more), value)
    assert env.create("module", "Task").plugin == "surprising"


def test_a_huge_range_of_contracts_costs_nothing(made):
    env = made(FACTORY.format(more="contract = range(1, 10**15)"), "Task")
    assert env.create("module", "Task").plugin == "surprising"

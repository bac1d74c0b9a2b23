"""Everything that can be wrong with a plugin is named, and everything else goes on."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def records(venv):
    """Plugins of acme_broken and acme_future by name, once all were imported."""
    return venv.run(
        """
import logging, pyrave
logging.disable()
env = pyrave.Environment()
env.step(0.01)
registry = env.registry
result = {}
for record in registry.report(load=True).records:
    if record.distribution in {"acme_broken", "acme_future"}:
        result[record.name] = record.to_dict()
"""
    )


@pytest.mark.parametrize(
    ("name", "state", "reason"),
    [
        ("BrokenImport", "broken", "acme_package_that_nobody_wrote"),
        ("BrokenNoModule", "broken", "there_is_no_such_module"),
        ("BrokenBase", "broken", "NotASensor is not derived from"),
        ("BrokenType", "broken", "it is a module"),
        ("BrokenMethods", "broken", "get_sensor_data"),
        ("BrokenContract", "incompatible", "contract 99"),
        ("acme_broken_reader", "broken", "the reader hook of acme_broken raises"),
        ("acme_broken_step", "broken", "the step hook of acme_broken raises"),
        ("acme_broken_name", "broken", "pyrave_body_added"),
        ("AcmeFuture", "incompatible", "pyrave>=99"),
    ],
)
def test_each_failure_is_named(records, name, state, reason):
    record = records[name]
    assert record["state"] == state
    assert reason in record["reason"]
    raised = name in {"BrokenImport", "BrokenNoModule"} or "hook" in reason
    assert bool(record["traceback"]) is raised


def test_what_works_of_a_broken_package_is_used(records):
    for name in ("BrokenConstructor", "BrokenStep", "AcmeWorks"):
        assert records[name]["state"] == "loaded"


def test_listing_names_failures(venv):
    done = venv.command("plugins", "--json", check=None)
    data = json.loads(done.stdout)
    (future,) = (d for d in data["distributions"] if d["name"] == "acme_future")
    assert future["state"] == "incompatible"
    assert "pyrave>=99" in future["plugins"][0]["reason"]


@pytest.mark.parametrize(
    ("kind", "one", "parts"),
    [
        (
            "sensor",
            "BrokenImport",
            ["ModuleNotFoundError", "Traceback", "broken_import"],
        ),
        ("sensor", "BrokenBase", ["NotASensor", "SensorBase"]),
        ("sensor", "BrokenMethods", ["get_sensor_data", "supports"]),
        ("module", "BrokenContract", ["contract 99", "contract 1"]),
        ("module", "BrokenConstructor", ["RuntimeError", "in __init__", "raising.py"]),
        ("module", "AcmeFuture", ["pyrave>=99"]),
        ("module", "AcmeWorkz", ["did you mean 'AcmeWorks'", "AcmePatrol"]),
    ],
)
def test_create_says_why_not(venv, kind, one, parts):
    text = venv.run(
        f"""
import logging, pyrave
logging.disable()
env = pyrave.Environment()
try:
    env.create({kind!r}, {one!r})
except pyrave.PluginError as error:
    result = str(error)
"""
    )
    for part in parts:
        assert part in text


def test_everything_else_goes_on(venv):
    """A step that raises disables its object, a hook that raises its plugin."""
    result = venv.run(
        """
import dataclasses, logging, pyrave
logging.disable()
env = pyrave.load_string('''<environment>
  <plugin>acme_broken</plugin>
  <module type="BrokenStep"/>
  <module type="BrokenConstructor"/>
  <module type="BrokenContract"/>
  <module type="AcmeWorks"/>
  <sensor type="BrokenImport"/>
  <sensor type="AcmeSonar" name="sonar"/>
</environment>''')
after_load = [str(problem) for problem in env.problems]
for _ in range(5):
    env.step(0.01)
result = {"load": after_load,
          "steps": env.modules["AcmeWorks"].steps,
          "modules": list(env.modules.names),
          "placeholders": [d.interface for d in env.placeholders],
          "measured": env.sensors["sonar"].read() is not None,
          "time": env.simulation_time,
          "record": [dataclasses.asdict(failure)
                     for record in env.registry.records()
                     if record.name == "BrokenStep"
                     for failure in record.failures],
          "all": [[p.message, p.traceback] for p in env.problems]}
"""
    )
    loading = "\n".join(result["load"])
    for name in ("BrokenConstructor", "BrokenContract", "BrokenImport"):
        assert name in loading
        assert name in result["placeholders"]
    assert result["steps"] == 5
    assert result["measured"]
    assert result["time"] == 0.05
    assert "BrokenStep" in result["modules"]
    stepped = [m for m in result["all"] if "ZeroDivisionError" in m[0]]
    assert len(stepped) == 1, "the failing step is reported once"
    assert "BrokenStep" in stepped[0][0]
    assert "acme_broken" in stepped[0][0]
    assert "raising.py" in stepped[0][1]
    (failure,) = result["record"]
    assert "ZeroDivisionError" in failure["message"]
    hook = [m for m in result["all"] if "step hook" in m[0]]
    assert len(hook) == 1, "a raising hook is reported once and then out of use"


def test_strict_refuses_and_changes_nothing(venv):
    result = venv.run(
        """
import logging, pyrave
logging.disable()
env = pyrave.Environment()
try:
    env.load_string('<environment><kinbody name="a"><body name="b"/></kinbody>'
                    '<module type="BrokenConstructor"/></environment>', strict=True)
except pyrave.SceneError as error:
    result = [str(error), len(env.bodies), len(env.modules)]
"""
    )
    assert "BrokenConstructor" in result[0]
    assert result[1:] == [0, 0]


def test_check_command_teaches(venv):
    done = venv.command("check", "--plugin", "acme_broken", check=1)
    for part in ("BrokenMethods", "contract 99", "ZeroDivisionError", "look at: "):
        assert part in done.stdout

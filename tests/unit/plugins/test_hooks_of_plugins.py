"""Hooks whose first answer counts, wrappers, hooks of plugins for plugins."""

from __future__ import annotations

import pytest

from pyrave.environment import Environment
from pyrave.errors import ResourceError, SceneError
from pyrave.plugins import PluginState, Registry, discover


def hooks(site, name, source, group="pyrave.plugins"):
    module = name.replace("-", "_")
    head = "from pathlib import Path\nfrom pyrave import hookimpl, hookspec\n"
    site.distribution(name, {group: {name: module}}, sources={module: head + source})


FINDING = """
ASKED = []
@hookimpl
def pyrave_find_file(name):
    ASKED.append(name)
    return {answer} if name.startswith("{scheme}") else None
"""


def environment(site):
    return Environment(registry=Registry([*discover(), *site.registry().records()]))


def test_the_first_answer_counts(site, tmp_path):
    box = tmp_path / "far" / "box.xml"
    box.parent.mkdir()
    box.write_text("<kinbody name='box'><body name='b'/></kinbody>")
    hooks(site, "a-one", FINDING.format(answer=f"Path({str(box)!r})", scheme="acme:"))
    hooks(site, "b-two", FINDING.format(answer="'elsewhere'", scheme=""))
    env = environment(site)
    text = "<environment><kinbody file='acme://box'/></environment>"
    env.load_string(text)
    assert env.bodies.names == ("box",)
    import a_one
    import b_two

    assert "acme://box" in a_one.ASKED
    assert not b_two.ASKED
    # what is there is not asked about, and what nobody has is missing as before
    with pytest.raises((ResourceError, SceneError), match="nowhere"):
        env.load("nowhere.xml")
    with pytest.raises((ResourceError, SceneError)):
        environment(site).load_string(text, confine=True)


WRAPPING = """
SEEN = []
@hookimpl(wrapper=True)
def pyrave_find_file(name):
    found = yield
    SEEN.append(found)
    return found if name != "hidden" else None

@hookimpl(wrapper=True)
def pyrave_body_added(env, body):
    SEEN.append("before")
    results = yield
    SEEN.append(results)
    return results
"""


def test_wrappers_run_around_the_others(site, env):
    hooks(site, "a-wrap", WRAPPING)
    hooks(site, "b-find", FINDING.format(answer="'x'", scheme=""))
    hooks(
        site, "c-add", "@hookimpl\ndef pyrave_body_added(body):\n    return body + 1\n"
    )
    registry = site.registry()
    assert registry.call_hook("pyrave_find_file", name="shown") == ["x"]
    assert registry.call_hook("pyrave_find_file", name="hidden") == []
    assert registry.call_hook("pyrave_body_added", env=env, body=1) == [2]
    import a_wrap

    assert a_wrap.SEEN == ["x", "x", "before", [2]]


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("(wrapper=True)\ndef pyrave_body_added(): pass", "is a wrapper without yield"),
        (
            "(wrapper=True)\ndef pyrave_interfaces():\n yield",
            "pyrave_interfaces has none",
        ),
        ("(hookwrapper=True)\ndef pyrave_step_end():\n yield", "write wrapper=True"),
        ("\ndef pyrave_step_end():\n yield", "contains yield"),
    ],
)
def test_wrappers_that_cannot_work_are_named(site, source, problem):
    hooks(site, "a-wrap", f"@hookimpl{source}\n")
    registry = site.registry()
    registry.load_all()
    (record,) = registry.records()
    assert record.state is PluginState.BROKEN
    assert problem in record.reason


@pytest.mark.parametrize(
    "body",
    [
        "    raise ValueError('no')\n    yield",
        "    yield\n    raise ValueError('no')",
        "    yield\n    yield",
    ],
)
def test_a_wrapper_that_fails_is_out_of_use(site, env, body):
    hooks(
        site,
        "a-wrap",
        f"@hookimpl(wrapper=True)\ndef pyrave_body_added(env, body):\n{body}\n",
    )
    hooks(
        site, "c-add", "@hookimpl\ndef pyrave_body_added(body):\n    return body + 1\n"
    )
    registry = site.registry()
    for _ in range(2):
        assert registry.call_hook("pyrave_body_added", env=env, body=1) == [2]
    assert [one.state for one in registry.records()] == [
        PluginState.BROKEN,
        PluginState.LOADED,
    ]
    (problem,) = env.problems
    assert "a-wrap" in problem.message


SPECS = """
@hookspec
def acme_calibrated(camera, error):
    "A camera was calibrated."

@hookspec(firstresult=True)
def acme_choose(camera):
    "Choose a pattern."
"""


def test_plugins_offer_hooks_to_plugins(site):
    hooks(site, "acme", SPECS, "pyrave.hookspecs")
    hooks(
        site,
        "b-user",
        "@hookimpl\ndef acme_calibrated(camera):\n    return camera * 2\n"
        "@hookimpl\ndef acme_choose():\n    return 'dots'\n",
    )
    hooks(site, "c-user", "@hookimpl\ndef acme_choose():\n    return 'lines'\n")
    registry = site.registry()
    assert registry.call_hook("acme_calibrated", camera=4, error=0.1) == [8]
    assert registry.call_hook("acme_choose", camera=4) == ["dots"]
    states = {one.distribution: one for one in registry.records()}
    assert states["acme"].hooks == ("acme_calibrated", "acme_choose")
    assert states["b-user"].hooks == ("acme_calibrated", "acme_choose")


def test_hooks_nobody_offers_are_named_unless_optional(site):
    hooks(site, "a-one", "@hookimpl\ndef acme_chose():\n    return 1\n")
    hooks(
        site, "b-two", "@hookimpl(optionalhook=True)\ndef other_hook():\n    return 1\n"
    )
    hooks(site, "acme", SPECS, "pyrave.hookspecs")
    hooks(site, "acme-two", SPECS, "pyrave.hookspecs")
    hooks(site, "acme-us", "@hookspec\ndef pyrave_x():\n 'x'\n", "pyrave.hookspecs")
    hooks(site, "acme-void", "", "pyrave.hookspecs")
    registry = site.registry()
    registry.load_all()
    reasons = {one.distribution: one.reason for one in registry.records()}
    assert (
        "there is no hook 'acme_chose', did you mean 'acme_choose'" in reasons["a-one"]
    )
    assert not reasons["b-two"]
    assert "is a hook of acme:acme already" in reasons["acme-two"]
    assert "begins with pyrave_" in reasons["acme-us"]
    assert "has no hook" in reasons["acme-void"]

import logging
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from pyrave.errors import ArgumentError, InterfaceNotFoundError, PluginError
from pyrave.former_names import NewName
from pyrave.plugins import PluginState
from pyrave.plugins.contributions import CONTRIBUTIONS

IMPORT = "from pyrave.plugins import hookimpl\n"


def hooked(site, **sources):
    """Install one distribution a module, with that hook source each."""
    for name, source in sources.items():
        site.distribution(
            f"dist-{name}",
            {"pyrave.plugins": {name: f"{name}_hooks"}},
            sources={f"{name}_hooks": IMPORT + source},
        )
    return site.registry()


def record(registry, name):
    return next(r for r in registry.records() if r.name == name)


def test_hooks_are_called_in_order_with_the_arguments_they_name(site, env):
    registry = hooked(
        site,
        bravo="@hookimpl\ndef pyrave_step_end(dt, env): return ('bravo', dt, env)",
        alpha="@hookimpl\ndef pyrave_step_end(): return 'alpha'",
        last="@hookimpl(trylast=True)\ndef pyrave_step_end(dt): return 'last'",
        zulu="@hookimpl(tryfirst=True)\ndef pyrave_step_end(): return 'zulu'",
        quiet="@hookimpl\ndef pyrave_step_end(): return None",
    )
    assert registry.has_hook("pyrave_step_end")
    assert not registry.has_hook("pyrave_step_begin")
    results = registry.call_hook("pyrave_step_end", env=env, dt=0.5)
    assert results == ["zulu", "alpha", ("bravo", 0.5, env), "last"]
    assert record(registry, "alpha").hooks == ("pyrave_step_end",)
    assert registry.call_hook("pyrave_environment_closed", env_id=3) == []


def test_a_raising_hook_takes_only_its_plugin_out_of_use(site, env, caplog):
    registry = hooked(
        site,
        alpha="""
@hookimpl
def pyrave_step_begin(dt): raise RuntimeError('battery empty')
@hookimpl
def pyrave_step_end(): return 'alpha'
""",
        bravo="@hookimpl\ndef pyrave_step_begin(dt): return dt",
    )
    child = registry.child()
    assert child.call_hook("pyrave_step_begin", env=env, dt=1.0) == [1.0]
    assert child.call_hook("pyrave_step_begin", env=env, dt=2.0) == [2.0]
    assert not child.has_hook("pyrave_step_end")
    failed = record(registry, "alpha")
    assert failed.state is PluginState.BROKEN
    assert "hook pyrave_step_begin raised: RuntimeError: battery empty" in failed.reason
    assert "Traceback" in failed.traceback
    (problem,) = env.problems
    assert "dist-alpha:alpha is out of use" in problem.message
    assert "battery empty" in problem.traceback
    assert not caplog.records  # the environment logs what is reported to it


def test_without_environment_the_failure_is_logged_once(site, caplog):
    registry = hooked(
        site, alpha="@hookimpl\ndef pyrave_environment_closed(env_id): 1 / env_id"
    )
    with caplog.at_level(logging.ERROR, "pyrave.plugins"):
        registry.call_hook("pyrave_environment_closed", env_id=0)
        registry.call_hook("pyrave_environment_closed", env_id=0)
    (entry,) = caplog.records
    assert "ZeroDivisionError" in entry.getMessage()
    assert "Traceback" in entry.getMessage()


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("@hookimpl\ndef pyrave_step_ended(dt): pass", "mean 'pyrave_step_end'"),
        ("@hookimpl\ndef pyrave_step_end(dtt): pass", "dtt"),
        ("def pyrave_step_end(dt): pass", "not marked with @pyrave.hookimpl"),
        ("@hookimpl(wrapper=True)\ndef pyrave_step_end(dt): pass", "without yield"),
        ("@hookimpl\ndef pyrave_step_end(dt): yield 1", "calling it does nothing"),
        ("import nothing_of_that_name", "ModuleNotFoundError"),
    ],
)
def test_wrong_hook_modules_are_named_at_load(site, source, message):
    good = "@hookimpl\ndef pyrave_step_end(dt): return dt"
    registry = hooked(site, alpha=source, bravo=good)
    assert registry.call_hook("pyrave_step_end", env=None, dt=1.0) == [1.0]
    failed = record(registry, "alpha")
    assert failed.state is PluginState.BROKEN
    assert message in failed.reason
    assert record(registry, "bravo").state is PluginState.LOADED


def test_a_plugin_may_be_unloaded_while_its_hook_runs(site, caplog):
    registry = site.registry()
    path = site.module(
        "leaves",
        """
        from pyrave.plugins import hookimpl
        from pyrave.plugins.path_plugins import unload_path

        @hookimpl
        def pyrave_step_end(env):
            unload_path(env, env.slots[-1])
            raise ValueError("gone already")
        """,
    )
    registry.load_path(path, allow=True)
    assert registry.call_hook("pyrave_step_end", env=registry._table) == []
    assert "leaves" in caplog.text
    assert "gone already" in caplog.text
    assert registry.records() == ()


def test_two_entry_points_to_one_module_are_no_error(site):
    site.distribution(
        "d",
        {"pyrave.plugins": {"one": "same_hooks", "two": "same_hooks"}},
        sources={
            "same_hooks": IMPORT + "@hookimpl\ndef pyrave_step_end(dt): return dt"
        },
    )
    registry = site.registry()
    assert registry.call_hook("pyrave_step_end", env=None, dt=1.0) == [1.0]
    assert {r.state for r in registry.records()} == {PluginState.LOADED}


def test_blocking_takes_hooks_out_and_back(site):
    registry = hooked(site, alpha="@hookimpl\ndef pyrave_step_end(dt): return dt")
    assert registry.has_hook("pyrave_step_end")
    registry.block("dist-alpha")
    assert not registry.has_hook("pyrave_step_end")
    assert record(registry, "alpha").state is PluginState.BLOCKED
    registry.unblock()
    assert registry.call_hook("pyrave_step_end", env=None, dt=1.0) == [1.0]


def test_blocked_hook_modules_are_not_imported(site):
    hooked(site, alpha="raise RuntimeError('imported')")
    registry = site.registry(disabled=["alpha"])
    assert not registry.has_hook("pyrave_step_end")
    assert "alpha_hooks" not in sys.modules


# -- contributions ---------------------------------------------------------------------


def test_ids_known_only_at_run_time(site, env):
    registry = hooked(
        site,
        alpha="""
from pyrave.interfaces.module import ModuleBase
class Device(ModuleBase):
    contract = 1
    settings_type = None
@hookimpl
def pyrave_interfaces():
    for number in (1, 2):
        yield "problem", f"Device{number}", Device
    yield "module", "Broken", int
""",
    )
    assert registry.ids("module", load=False) == []
    assert registry.ids("module") == ["Device1", "Device2", "Broken"]
    made = registry.create(env, "module", "device2 x")
    assert (made.interface_id, made.plugin) == ("Device2", "dist-alpha")
    assert registry.offers("module", "dist-alpha:Device1")
    assert record(registry, "alpha").interfaces == {
        "module": ("Device1", "Device2", "Broken")
    }
    with pytest.raises(PluginError, match="not derived from"):
        registry.create(env, "module", "Broken")


def aliased(site, target, alias="old_task"):
    site.distribution(
        "tasks",
        {"pyrave.module": {"Task": "tasks:Task"}, "pyrave.plugins": {"t": "t_hooks"}},
        sources={
            "tasks": "from pyrave.interfaces.module import ModuleBase\n"
            "class Task(ModuleBase):\n    contract = 1\n    settings_type = None\n",
            "t_hooks": f"{IMPORT}from pyrave.former_names import NewName\n"
            "@hookimpl\ndef pyrave_interfaces():\n"
            f"    return [('problem', {alias!r}, {target!r})]",
        },
    )
    return site.registry()


def test_an_alias_makes_the_class_under_the_name_asked_for(site, env):
    registry = aliased(site, "task")
    assert registry.ids("module") == ["Task", "old_task"]
    made = registry.create(env, "module", "tasks:OLD_task a b")
    assert (made.interface_id, made.args) == ("old_task", ("a", "b"))
    assert type(made) is type(registry.create(env, "module", "Task"))
    assert record(registry, "t").interfaces == {}
    assert record(registry, "t").aliases == (("module", "old_task", "task"),)
    # what goes wrong with the object belongs to the class, not to the hook module
    registry.report_failure(made, ValueError("x"), "step")
    assert len(record(registry, "Task").failures) == 1
    assert not record(registry, "t").failures


def test_a_former_id_makes_the_class_under_its_new_one_and_warns(site, env):
    registry = aliased(site, NewName("Task", "tasks 3.0"))
    assert registry.ids("module") == ["Task", "old_task"], "looking warns of nothing"
    told = "^module 'old_task' goes in tasks 3.0: it is 'Task' now$"
    with pytest.warns(DeprecationWarning, match=told) as warned:
        made = registry.create(env, "module", "Old_Task a")
    assert (made.interface_id, made.args) == ("Task", ("a",))
    assert warned[0].filename == __file__
    assert record(registry, "t").aliases == (("module", "old_task", "Task"),)


@pytest.mark.parametrize(
    ("target", "alias", "message"),
    [
        ("Tusk", "old_task", "'Tusk', and tasks 1.0 declares no entry point"),
        ("a b", "old_task", "expected one word"),
        ("Task", "old*", "is a pattern"),
    ],
)
def test_a_wrong_alias_breaks_its_plugin(site, target, alias, message):
    registry = aliased(site, target, alias)
    assert registry.ids("module") == ["Task"]
    assert record(registry, "t").state is PluginState.BROKEN
    assert message in record(registry, "t").reason


def test_an_alias_that_two_packages_offer_is_a_conflict(site):
    aliased(site, "Task")
    site.distribution("more", {"pyrave.module": {"Old_Task": "more:Task"}})
    registry = site.registry()
    registry.ids("module")
    (conflict,) = registry.report().conflicts
    assert conflict.candidates == ("more:Old_Task", "tasks:old_task")
    assert registry.provider("module", "old_task").distribution == "more"


def test_readers_are_found_by_type_and_tag_without_case(site):
    reader = "@hookimpl\ndef pyrave_xml_readers(): return [('controller', '{}', {})]"
    registry = hooked(
        site,
        alpha=reader.format("piddata", "max"),
        bravo=reader.format("PIDData", "min"),
    )
    assert registry.xml_reader("controller", "PidData") is max
    assert registry.xml_reader("sensor", "piddata") is None
    assert registry.xml_reader("controller", "pid") is None
    (conflict,) = registry.report().conflicts
    assert conflict.kind == "xml reader"
    child = registry.child()
    outer = child.register_xml_reader("controller", "piddata", len)
    inner = child.register_xml_reader("controller", "PIDDATA", sum)
    assert child.xml_reader("controller", "piddata") is sum
    assert registry.xml_reader("controller", "piddata") is max
    assert child.xml_reader_tags("controller") == ("PIDDATA", "piddata", "PIDData")
    inner.close()
    assert child.xml_reader("controller", "piddata") is len
    outer.close()
    assert child.xml_reader("controller", "piddata") is max
    with pytest.raises(ArgumentError, match="cannot be called"):
        registry.register_xml_reader("controller", "x", 3)


def test_readers_are_for_parts_of_bodies_too(site):
    reader = "@hookimpl\ndef pyrave_xml_readers(): return [('Link', 'tag', max)]"
    registry = hooked(site, alpha=reader)
    assert registry.xml_reader("link", "TAG") is registry.xml_reader("LINK", "tag")
    assert registry.xml_reader_tags("link") == ("tag",)
    assert registry.xml_reader("joint", "tag") is None
    with pytest.raises(ArgumentError, match=r"'lnk' is not an .*, did you mean 'link'"):
        registry.xml_reader("lnk", "tag")
    for kind in (None, ["link"], 3):
        with pytest.raises(ArgumentError, match="expected a text; there are planner,"):
            registry.xml_reader_tags(kind)


def test_formats_and_commands(site):
    registry = hooked(
        site,
        alpha="""
class Format:
    name = "dots"
    suffixes = (".dot",)
    def sniff(self, head): return False
    def read(self, source, context): ...
    def write(self, scene, target, context): return []
@hookimpl
def pyrave_scene_formats(): return [Format()]
@hookimpl
def pyrave_mesh_formats(): return [Format()]
@hookimpl
def pyrave_cli(): return [("hello", print)]
@hookimpl
def pyrave_kernels(): return [("slow", print)]
@hookimpl
def pyrave_robots(): return [("mine", dict)]
""",
    )
    assert [one.name for one in registry.scene_formats()] == ["dots"]
    assert [one.name for one in registry.mesh_formats()] == ["dots"]
    assert registry.scene_formats()[0] is registry.scene_formats()[0]
    assert registry.cli_commands() == (("hello", print),)
    assert registry.kernels() == (("slow", print),)
    assert registry.robot_catalogues() == (("mine", dict),)
    seen = record(registry, "alpha")
    assert (seen.scene_formats, seen.mesh_formats) == (("dots",), ("dots",))
    assert seen.commands == ("hello",)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("pyrave_interfaces(): return [('module', 'X')]", "expected (interface type"),
        ("pyrave_interfaces(): return [('modul', 'X', int)]", "not an interface type"),
        ("pyrave_interfaces(): return [('module', 'a b', int)]", "one word"),
        ("pyrave_interfaces(): return [('module', 'X', 3)]", "cannot be called"),
        ("pyrave_interfaces(): return 3", "expected an iterable"),
        ("pyrave_interfaces(): raise OSError('device')", "OSError: device"),
        ("pyrave_xml_readers(): return [(3, 'X', int)]", "is not a string"),
        ("pyrave_xml_readers(): return [(['link'], 'X', int)]", "is not a string"),
        ("pyrave_xml_readers(): return [('lnk', 'X', int)]", "did you mean 'link'"),
        ("pyrave_scene_formats(): return [3]", "has no name"),
        ("pyrave_cli(): return ['x']", "expected (name, function)"),
    ],
)
def test_wrong_answers_break_their_plugin_only(site, source, message):
    good = "@hookimpl\ndef pyrave_interfaces(): return [('module', 'Fine', int)]"
    registry = hooked(site, alpha=f"@hookimpl\ndef {source}", bravo=good)
    registry.report(load=True)
    assert registry.ids("module") == ["Fine"]
    failed = record(registry, "alpha")
    assert failed.state is PluginState.BROKEN
    assert message in failed.reason
    with pytest.raises(InterfaceNotFoundError) as caught:
        registry.provider("module", "X")
    assert message in str(caught.value)


def test_a_format_without_methods_or_with_wrong_suffixes_is_named(site):
    registry = hooked(
        site,
        alpha="""
class Format:
    name, suffixes = "f", (".f",)
    def sniff(self, head): return False
@hookimpl
def pyrave_scene_formats(): return [Format()]
""",
        bravo="""
class Format:
    name, suffixes = "f", ".f"
@hookimpl
def pyrave_mesh_formats(): return [Format()]
""",
    )
    assert registry.scene_formats() == registry.mesh_formats() == ()
    assert "no method read, write" in record(registry, "alpha").reason
    assert "expected a sequence" in record(registry, "bravo").reason


def test_a_hook_module_may_ask_the_registry_while_it_is_imported(site):
    registry = hooked(
        site,
        alpha="import builtins\nbuiltins.pyrave_probe()",
        bravo="@hookimpl\ndef pyrave_step_end(dt): return dt",
    )
    import builtins

    builtins.pyrave_probe = lambda: registry.has_hook("pyrave_step_end")
    try:
        assert registry.has_hook("pyrave_step_end")
    finally:
        del builtins.pyrave_probe


def test_threads_load_each_plugin_once_and_see_it_whole(site, env):
    import builtins

    site.distribution(
        "slow",
        {
            "pyrave.plugins": {"slow": "slow_hooks"},
            "pyrave.module": {"Slow": "slow_code:Slow"},
        },
        sources={
            "slow_hooks": IMPORT
            + "import builtins, time\n"
            + "builtins.pyrave_loads.append('hooks'); time.sleep(0.05)\n"
            + "@hookimpl\ndef pyrave_step_end(dt): return dt\n",
            "slow_code": """
                import builtins, time
                from pyrave.interfaces.module import ModuleBase
                builtins.pyrave_loads.append('code'); time.sleep(0.05)
                class Slow(ModuleBase):
                    contract = 1
            """,
        },
    )
    builtins.pyrave_loads = []
    registry = site.registry()

    def work(_):
        called = registry.call_hook("pyrave_step_end", env=None, dt=1.0)
        return called, type(registry.create(env, "module", "Slow")).__name__

    try:
        with ThreadPoolExecutor(8) as pool:
            results = list(pool.map(work, range(8)))
        assert results == [([1.0], "Slow")] * 8
        assert sorted(builtins.pyrave_loads) == ["code", "hooks"]
    finally:
        del builtins.pyrave_loads


def test_every_hook_is_documented():
    from pyrave.plugins import hookspecs

    names = [name for name in vars(hookspecs) if name.startswith("pyrave_")]
    assert set(CONTRIBUTIONS) < set(names)
    assert all(getattr(hookspecs, name).__doc__ for name in names)


@pytest.mark.slow
def test_listing_and_lookups_import_neither_numba_nor_lxml_nor_plugins():
    code = (
        "import sys; from pyrave.plugins import default_registry as d; r = d();"
        "r.report().to_dict(); r.find_plugin('x'); r.ids('sensor', load=False);"
        "bad = {'numba', 'lxml', 'pluggy', 'pyrave_base', 'pyrave_sensors'};"
        "sys.exit(str(sorted(bad & set(sys.modules))) if bad & set(sys.modules) else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr

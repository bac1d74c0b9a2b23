import sys

import pytest

from pyrave.errors import PluginError
from pyrave.plugins import PluginKind, PluginState, Registry

CODE = """
    from pyrave.interfaces.module import ModuleBase
    from pyrave.plugins import hookimpl

    class Greeter(ModuleBase):
        contract = 1

    class Helper(ModuleBase):
        pass

    @hookimpl
    def pyrave_step_end(dt):
        return dt
"""


@pytest.fixture
def registry():
    return Registry([], disabled=())


def test_a_path_runs_only_with_permission(site, registry, env):
    path = site.module("my_script", CODE)
    with pytest.raises(PluginError, match="not allowed; install it as a package"):
        registry.load_path(path)
    assert registry.records() == ()
    record = registry.load_path(path, allow=True)
    assert record.kind is PluginKind.PATH
    assert record.state is PluginState.LOADED
    assert record.interfaces == {"module": ("Greeter",)}
    assert record.hooks == ("pyrave_step_end",)
    assert registry.create(env, "module", "greeter").interface_id == "Greeter"
    assert registry.offers("module", "my_script:Greeter")
    assert registry.call_hook("pyrave_step_end", env=None, dt=1.0) == [1.0]
    assert registry.load_path(path, allow=True) == record  # runs once
    assert len(registry.records()) == 1
    assert registry.report().distributions[0].name == ""


def test_folders_and_importable_modules_are_paths_too(site, registry):
    site.module("my_folder/part", "value = 5")
    site.module("my_folder/__init__", CODE + "\n    from .part import value\n")
    record = registry.load_path(site.folder / "my_folder", allow=True)
    assert record.interfaces == {"module": ("Greeter",)}
    site.module("my_other_script", CODE)
    record = registry.load_path("my_other_script", allow=True)
    assert record.value == "my_other_script"


MODULE = """
    import pyrave

    class Thing(pyrave.ModuleBase):
        contract = 1
"""


def test_a_folder_offers_what_its_modules_define(site, registry, env):
    site.module("my_pack/__init__", "")
    site.module("my_pack/thing", MODULE)
    site.module("my_pack/more/__init__", MODULE.replace("Thing", "More"))
    site.module("my_pack/test_thing", MODULE + "\n    raise OSError('a test')\n")
    site.module("my_pack/script", "raise OSError('a script')")
    record = registry.load_path(site.folder / "my_pack", allow=True)
    assert record.interfaces == {"module": ("More", "Thing")}
    assert record.warning == ""
    assert registry.create(env, "module", "Thing").interface_id == "Thing"
    site.module("my_pack/thing", MODULE.replace("Thing", "Other"))
    record = registry.load_path(site.folder / "my_pack", allow=True)
    assert record.interfaces == {"module": ("More", "Other")}


def test_what_a_folder_imports_of_itself_is_its_own(site, registry):
    site.module("my_pack/__init__", "from .thing import Thing, Thing as Alias")
    site.module("my_pack/thing", MODULE)
    record = registry.load_path(site.folder / "my_pack", allow=True)
    assert record.interfaces == {"module": ("Thing", "Alias")}


def test_two_classes_of_one_name_in_a_folder_are_refused(site, registry):
    site.module("my_pack/__init__", "")
    site.module("my_pack/one", MODULE)
    site.module("my_pack/two", MODULE)
    with pytest.raises(PluginError, match=r"one and .*two both have a module 'Thing'"):
        registry.load_path(site.folder / "my_pack", allow=True)
    assert registry.records() == ()


def test_a_module_of_a_folder_that_fails_is_told(site, registry):
    site.module("my_pack/__init__", "")
    site.module("my_pack/thing", MODULE + "\n    raise OSError('device')\n")
    before = set(sys.modules)
    with pytest.raises(PluginError, match="OSError: device"):
        registry.load_path(site.folder / "my_pack", allow=True)
    assert registry.records() == ()
    assert set(sys.modules) == before


@pytest.mark.parametrize("code", ["", MODULE.replace("contract = 1", "pass")])
def test_a_path_that_offers_nothing_is_told(site, registry, code, caplog):
    path = site.module("my_script", code)
    record = registry.load_path(path, allow=True)
    assert "offers nothing: it has no class" in record.warning
    assert record.warning in caplog.text


def test_failing_paths_leave_nothing_behind(site, registry):
    path = site.module("bad_script", "raise OSError('device')")
    before = set(sys.modules)
    with pytest.raises(PluginError, match="OSError: device") as caught:
        registry.load_path(path, allow=True)
    assert isinstance(caught.value.__cause__, OSError)
    assert registry.records() == ()
    assert set(sys.modules) == before
    with pytest.raises(PluginError, match="does not exist; expected a Python file"):
        registry.load_path(site.folder / "nothing.py", allow=True)
    with pytest.raises(PluginError, match="ModuleNotFoundError"):
        registry.load_path("no_module.of_this_name", allow=True)


def test_a_path_with_a_wrong_class_is_refused(site, registry):
    path = site.module(
        "wrong_script",
        """
        from pyrave.interfaces.sensor import SensorBase
        class Half(SensorBase):
            contract = 2
        """,
    )
    with pytest.raises(PluginError, match="lacks methods"):
        registry.load_path(path, allow=True)
    assert not [name for name in sys.modules if "wrong_script" in name]


HOOK = """
    from pyrave.plugins import hookimpl

    @hookimpl
    def pyrave_step_end(dt):
        return "{}"
"""


def test_path_plugins_of_one_name_live_side_by_side(site, registry):
    for folder in ("one", "two"):
        path = site.module(f"{folder}/plug", HOOK.format(folder))
        assert registry.load_path(path, allow=True).name == "plug"
    assert registry.call_hook("pyrave_step_end", dt=1.0) == ["two", "one"]
    first, second = registry.records()
    assert first.key != second.key
    registry.report_failure(second, ValueError("lost"), "a step")
    assert [len(record.failures) for record in registry.records()] == [0, 1]


def test_modules_of_one_package_live_side_by_side(site, registry):
    site.module("acme.__init__", "")
    for name in ("one", "two"):
        site.module(f"acme.{name}", HOOK.format(name))
        assert registry.load_path(f"acme.{name}", allow=True).name == f"acme.{name}"
    assert registry.call_hook("pyrave_step_end", dt=1.0) == ["two", "one"]
    (found,) = registry.find_plugin("acme.two").records
    assert found.value == "acme.two"


def test_the_current_folder_has_a_name(site, registry, monkeypatch):
    site.module("my_pack.__init__", HOOK.format("here"))
    monkeypatch.chdir(site.folder / "my_pack")
    assert registry.load_path(".", allow=True).name == "my_pack"


def test_a_broken_path_is_refused_each_time_and_runs_once_mended(site, registry):
    broken = HOOK.replace("step_end", "step_ended").format("")
    path = site.module("breaks", broken)
    for _ in range(2):
        with pytest.raises(PluginError, match="did you mean 'pyrave_step_end'"):
            registry.load_path(path, allow=True)
        assert registry.records() == ()
    site.module("breaks", HOOK.format("mended"))
    registry.load_path(path, allow=True)
    assert registry.call_hook("pyrave_step_end", dt=1.0) == ["mended"]


def test_a_path_that_failed_in_use_is_refused(site, registry):
    path = site.module("fails", HOOK.replace('return "{}"', "return 1 / 0"))
    registry.load_path(path, allow=True)
    registry.call_hook("pyrave_step_end", dt=1.0)
    with pytest.raises(PluginError, match=r"cannot be used: .*ZeroDivisionError"):
        registry.load_path(path, allow=True)


def test_blocking_a_path_plugin_and_back(site, registry):
    registry.load_path(site.module("blockable", CODE), allow=True)
    registry.block("blockable")
    assert not registry.offers("module", "Greeter")
    assert not registry.has_hook("pyrave_step_end")
    registry.unblock("blockable")
    assert registry.offers("module", "Greeter")
    assert registry.has_hook("pyrave_step_end")


# -- <plugin> names --------------------------------------------------------------------


@pytest.fixture
def named(site):
    site.distribution(
        "my-custom_reader",
        {
            "pyrave.plugins": {"customreader": "reader_hooks"},
            "pyrave.controller": {"PidController": "reader_code:Pid"},
        },
    )
    site.distribution("library", {"pyrave.module": {"Lib": "lib_code:Lib"}})
    return site.registry()


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("customreader", {"customreader"}),
        ("CustomReader", {"customreader"}),
        ("libcustomreader.so", {"customreader"}),
        ("/usr/lib/openrave/libcustomreader.so.0.9", {"customreader"}),
        ("plugins\\customreader.dll", {"customreader"}),
        ("My_Custom_Reader", {"customreader", "PidController"}),
        ("libmy-custom-reader.dylib", {"customreader", "PidController"}),
        ("pidcontroller", {"PidController"}),
        ("library", {"Lib"}),
        ("liblibrary", {"Lib"}),
    ],
)
def test_plugin_names_of_old_and_new_files(named, name, found):
    search = named.find_plugin(name)
    assert {record.name for record in search.records} == found
    assert search
    assert search.problem is None


def test_unknown_plugin_names_suggest_and_do_nothing(named):
    search = named.find_plugin("libcustomreeder.so")
    assert not search
    assert "'libcustomreeder.so' is not installed" in search.problem.message
    assert "did you mean 'customreader'?" in search.problem.message
    assert search.problem.code == "unknown-plugin"


def test_python_paths_in_scenes_are_refused(named, site):
    path = site.module("evil", "raise SystemExit")
    search = named.find_plugin(str(path))
    assert not search
    assert search.problem.code == "plugin-path-refused"


def test_python_paths_that_the_caller_ran_are_found(named, site):
    path = site.module("kind", CODE)
    named.load_path(path, allow=True)
    search = named.find_plugin("scripts/kind.py")
    assert [record.name for record in search.records] == ["kind"]
    assert search.problem is None


def test_unusable_plugins_say_why(named):
    named.block("customreader")
    search = named.find_plugin("customreader")
    assert search
    assert "is blocked: switched off by 'customreader'" in search.problem.message
    assert search.problem.code == "plugin-unusable"

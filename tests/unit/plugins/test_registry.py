import logging
import pickle
import re

import pytest

from pyrave.errors import (
    ArgumentError,
    InterfaceCreationError,
    InterfaceNotFoundError,
    NotFoundError,
    PluginError,
)
from pyrave.interfaces.module import ModuleBase
from pyrave.plugins import PluginState, Registry, default_registry
from pyrave.plugins.contracts import BASE_CLASSES, class_problem, interface_base
from pyrave.plugins.records import DEFAULT_TASKS

TASK = """
    from pyrave.interfaces.module import ModuleBase

    class Task(ModuleBase):
        contract = 1
        settings_type = None
"""


def state_of(registry, name):
    return next(r for r in registry.records() if r.name == name)


def one(site, name="Task", source=TASK, group="pyrave.module", **options):
    """Install one distribution with one class and return the registry."""
    site.distribution(
        options.pop("dist", "my-task"),
        {group: {name: options.pop("value", f"my_task_code:{name}")}},
        sources={"my_task_code": source},
        **options,
    )
    return site.registry()


def test_creation_is_lazy_and_keeps_id_plugin_and_arguments(site, env):
    registry = one(site)
    assert state_of(registry, "Task").state is PluginState.DECLARED
    made = registry.create(env, "problem", "TASK first 2")
    assert made.interface_id == "Task"
    assert made.plugin == "my-task"
    assert made.args == ("first", "2")
    assert made.env is env
    assert state_of(registry, "Task").state is PluginState.LOADED
    assert registry.offers("module", "task")
    assert registry.offers("module", "my_task:Task")
    assert not registry.offers("module", "other:Task")


def test_a_maker_makes_many_and_hears_of_a_block(site, env):
    registry = one(site)
    maker = registry.maker("problem", "TASK first")
    first, second = maker(env), maker(env)
    assert first is not second
    assert first.interface_id == second.interface_id == "Task"
    assert second.args == ("first",)
    registry.block("my-task")
    with pytest.raises(InterfaceCreationError, match="blocked"):
        maker(env)


def test_unknown_ids_list_what_is_there(site, env):
    registry = one(site)
    with pytest.raises(InterfaceNotFoundError) as caught:
        registry.create(env, "module", "Tusk")
    assert "did you mean 'Task'?" in str(caught.value)
    assert caught.value.available == ("Task",)
    with pytest.raises(ArgumentError, match=r"'senzor' is not .* mean 'sensor'\?"):
        registry.create(env, "senzor", "X")
    with pytest.raises(ArgumentError, match="no id was given for a module"):
        registry.create(env, "module", "  ")
    with pytest.raises(InterfaceNotFoundError, match="'IdealController'"):
        registry.create(env, "controller", "IdealController")


def test_missing_installation_of_pyrave_is_said(site, env):
    registry = one(site)
    assert "pyrave itself is not installed" in registry.report().notes[0]
    with pytest.raises(ArgumentError, match="pip install"):
        registry.create(env, "robot")


def test_defaults_are_those_of_entry_points(site, env):
    site.distribution("aaa", {"pyrave.defaults": {"module": "Task"}})
    registry = one(site)
    assert registry.create(env, "module").interface_id == "Task"
    assert registry.default_id("module") == "Task"
    assert registry.default_id("problem") == "Task"  # an old name of the type
    with pytest.raises(NotFoundError, match=r"no default 'module.lifting'.*declare"):
        registry.default_id("module", "lifting")
    assert registry.default_id("viewer") == ""
    registry.block("aaa")
    assert registry.default_id("module") == ""


def test_each_default_of_ours_is_there():
    registry = default_registry()
    for record in registry.records():
        if record.group == "pyrave.defaults":
            kind, _, task = record.name.partition(".")
            assert registry.default_id(kind, task) == record.value
            assert record.value in registry.ids(kind)
            assert not record.warning
    declared = [r.name for r in registry.records() if r.group == "pyrave.defaults"]
    tasks = {f"{kind}.{one}" for kind, ones in DEFAULT_TASKS.items() for one in ones}
    assert tasks == {name for name in declared if "." in name}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("plannr", "'plannr' in 'plannr' is no interface type, did you mean 'planner'"),
        ("planner.smother", "'smother' .* is no task of a planner, did you mean 'smoo"),
    ],
)
def test_defaults_of_unknown_types_and_tasks_are_broken(site, name, message):
    site.distribution("aaa", {"pyrave.defaults": {name: "Task"}})
    (record,) = site.registry().records()
    assert record.state is PluginState.BROKEN
    assert record.origin == "aaa 1.0"
    assert re.search(message, record.reason)
    assert 'write type = "Id"' in record.reason


def test_defaults_without_effect_are_told(site, env):
    site.distribution(
        "aaa", {"pyrave.defaults": {"module": "Taks", "module.lift": "Task"}}
    )
    site.distribution("bbb", {"pyrave.defaults": {"module": "Task"}})
    registry = one(site)
    with pytest.raises(
        InterfaceNotFoundError, match=r"'Taks' of aaa 1\.0 is an id that"
    ):
        registry.create(env, "module")
    report = registry.report(load=True)
    told = {record.label: record.warning for record in report.records if record.warning}
    assert set(told) == {"aaa:module", "aaa:module.lift"}
    assert (
        "nobody supplies; write one that an entry point of pyrave.module has"
        in (told["aaa:module"])
    )
    assert (
        "a task that pyrave does not give; tasks of a module: json_rpc, text"
        in (told["aaa:module.lift"])
    )
    assert registry.default_id("module", "lift") == "Task"
    (conflict,) = report.conflicts
    assert str(conflict).startswith(
        "default 'module': aaa:module is used, also offered by bbb:module; another id"
    )


def test_import_errors_are_kept_and_chained(site, env):
    registry = one(site, source="import a_module_that_is_not_there")
    with pytest.raises(InterfaceCreationError) as caught:
        registry.create(env, "module", "Task")
    assert isinstance(caught.value.__cause__, ModuleNotFoundError)
    text = str(caught.value)
    assert "module 'Task' of plugin my-task:Task (my-task 1.0)" in text
    assert "import a_module_that_is_not_there" in text
    record = state_of(registry, "Task")
    assert record.state is PluginState.BROKEN
    assert "Traceback" in record.traceback
    # the next one says the same without importing again, and others see it too
    with pytest.raises(InterfaceCreationError, match="a_module_that_is_not_there"):
        registry.create(env, "module", "Task")
    with pytest.raises(InterfaceNotFoundError) as missing:
        registry.create(env, "module", "Other")
    assert "a_module_that_is_not_there" in missing.value.failures[0]
    assert registry.ids("module") == []


def test_a_module_that_exits_is_broken_not_fatal(site, env):
    registry = one(site, source="import sys; sys.exit(3)")
    with pytest.raises(InterfaceCreationError, match="SystemExit"):
        registry.create(env, "module", "Task")


@pytest.mark.parametrize(
    ("source", "group", "state", "message"),
    [
        ("class Task: pass", "module", "broken", "not derived from .*ModuleBase"),
        (TASK, "sensor", "broken", "not derived from .*SensorBase.*it is a module"),
        ("Task = 3", "module", "broken", "neither a class nor a function"),
        ("", "module", "broken", "no attribute 'Task'"),
        (
            TASK + "        contract = 2",
            "module",
            "incompatible",
            "contract 2 of module",
        ),
        (TASK + "        contract = '1'", "module", "incompatible", "whole number"),
        (
            """
            from pyrave.interfaces.sensor import SensorBase
            class Task(SensorBase):
                contract = 2
                def supports(self, sensor_type): return False
            """,
            "sensor",
            "broken",
            "lacks methods that a sensor must have: configure, .*get_sensor_data",
        ),
        (
            """
            from pyrave.interfaces.sensor import SensorBase
            class Task(SensorBase):
                contract = 7
            """,
            "sensor",
            "incompatible",
            "contract 7 of sensor, this pyrave has contract 1 to 2; update pyrave",
        ),
        (
            "from pyrave.bodies.robot import Robot as Task",
            "kinbody",
            "broken",
            "it is a robot",
        ),
    ],
)
def test_classes_that_cannot_serve(site, env, source, group, state, message):
    registry = one(site, source=source, group=f"pyrave.{group}")
    with pytest.raises(InterfaceCreationError, match=message):
        registry.create(env, group, "Task")
    assert state_of(registry, "Task").state is PluginState(state)


def test_the_contract_of_our_own_base_does_not_count(site, env):
    registry = one(
        site,
        source="""
        from pyrave.interfaces.module import ModuleBase
        class Parent(ModuleBase):
            contract = 3
        class Task(Parent):
            pass
        """,
    )
    with pytest.raises(InterfaceCreationError, match="contract 3"):
        registry.create(env, "module", "Task")


def test_constructor_failures_are_chained_and_do_not_break_the_plugin(site, env):
    registry = one(
        site,
        source=TASK
        + """
        def __init__(self, env, *args):
            super().__init__(env, *args)
            if "bad" in args:
                raise RuntimeError("no such device")
""",
    )
    with pytest.raises(InterfaceCreationError) as caught:
        registry.create(env, "module", "Task bad")
    assert isinstance(caught.value.__cause__, RuntimeError)
    frame = 'in __init__: raise RuntimeError("no such device")'
    for part in ("my-task:Task", "my_task_code.Task raised RuntimeError", frame):
        assert part in str(caught.value)
    assert "Traceback" in caught.value.traceback
    assert registry.create(env, "module", "Task good").interface_id == "Task"


def test_factories_are_checked_by_what_they_return(site, env):
    registry = one(
        site,
        source=TASK
        + """
    def make(env, *args):
        return Task(env, *args) if args else 5
""",
        value="my_task_code:make",
    )
    assert registry.create(env, "module", "Task x").plugin == "my-task"
    with pytest.raises(InterfaceCreationError, match="returned a int, expected"):
        registry.create(env, "module", "Task")


def test_a_constructor_must_call_its_base(site, env):
    registry = one(site, source=TASK + "        def __init__(self, env): pass\n")
    with pytest.raises(InterfaceCreationError, match=r"super\(\).__init__\(env"):
        registry.create(env, "module", "Task")


def test_requirements_are_checked_before_import(site, env):
    registry = one(
        site, source="raise RuntimeError('imported')", requires=["pyrave>=99"]
    )
    record = state_of(registry, "Task")
    assert record.state is PluginState.INCOMPATIBLE
    assert "requires pyrave>=99, this is pyrave" in record.reason
    with pytest.raises(InterfaceCreationError, match="requires pyrave>=99"):
        registry.create(env, "module", "Task")


# -- conflicts, blocks -----------------------------------------------------------------


def two(site, **options):
    for name in ("bravo", "alpha"):
        site.distribution(
            f"dist-{name}",
            {"pyrave.module": {"Task": f"{name}_code:Task"}},
            sources={f"{name}_code": TASK},
        )
    return site.registry(**options)


def test_conflicts_are_reported_and_the_first_in_order_is_used(site, env):
    registry = two(site)
    assert registry.create(env, "module", "task").plugin == "dist-alpha"
    assert registry.create(env, "module", "dist_bravo:Task").plugin == "dist-bravo"
    (conflict,) = registry.report().conflicts
    assert conflict.candidates == ("dist-alpha:Task", "dist-bravo:Task")
    assert conflict.used == "dist-alpha:Task"
    assert "'distribution:Id' picks one" in str(conflict)
    assert registry.ids("module") == ["Task"]


def test_spellings_of_one_distribution_are_no_conflict(site):
    site.distribution("d", {"pyrave.module": {"Task": "m:T", "task": "m:T"}})
    registry = site.registry()
    assert registry.report().conflicts == ()
    assert registry.ids("module", load=False) == ["Task"]


def test_a_broken_first_is_not_replaced_silently(site, env):
    registry = two(site)
    site.module("alpha_code", "raise OSError('disk')")
    with pytest.raises(InterfaceCreationError, match="disk"):
        registry.create(env, "module", "Task")
    assert registry.create(env, "module", "dist-bravo:Task").plugin == "dist-bravo"


@pytest.mark.parametrize(
    "pattern",
    ["dist-alpha", "DIST_ALPHA", "dist-alpha:Task", "*-alpha", "dist_a*:task"],
)
def test_blocked_plugins_are_passed_over(site, env, pattern):
    registry = two(site, disabled=[pattern])
    assert registry.create(env, "module", "Task").plugin == "dist-bravo"
    record = registry.records()[0]
    assert record.state is PluginState.BLOCKED
    assert record.reason == f"switched off by {pattern!r}"
    assert registry.report().conflicts == ()
    with pytest.raises(InterfaceNotFoundError, match="switched off by"):
        registry.create(env, "module", "dist-alpha:Task")


def test_block_and_unblock_while_running(site, env):
    registry = two(site)
    registry.create(env, "module", "Task")
    registry.block("Task")
    with pytest.raises(InterfaceNotFoundError):
        registry.create(env, "module", "Task")
    registry.unblock("Task")
    assert registry.create(env, "module", "Task").plugin == "dist-alpha"


def test_a_star_blocks_all_but_our_own(site, monkeypatch):
    site.distribution("pyrave", {"pyrave.module": {"Own": "own_code:Task"}})
    one(site, source="raise RuntimeError('imported')")
    monkeypatch.setenv("PYRAVE_DISABLE_PLUGINS", " nothing, * ")
    registry = site.registry(disabled=None)
    assert registry.ids("module") == ["Own"]
    assert registry.report().blocked == ("nothing", "*")


# -- registration ----------------------------------------------------------------------


class Local(ModuleBase):
    contract = 1
    settings_type = None


def test_registrations_lie_over_plugins_in_their_child_only(site, env):
    registry = one(site)
    child, sibling = registry.child(), registry.child()
    with child.register("module", "TASK", Local) as registration:
        made = child.create(env, "module", "task")
        assert isinstance(made, Local)
        assert (made.interface_id, made.plugin) == ("TASK", "")
        assert child.provider("module", "Task").record is None
        assert child.create(env, "module", "my-task:Task").plugin == "my-task"
        assert sibling.create(env, "module", "Task").plugin == "my-task"
        assert child.report().registered == (("module", "TASK"),)
        assert child.ids("module") == ["TASK"]
        assert not registration.closed
    assert child.create(env, "module", "Task").plugin == "my-task"
    registration.close()


def test_closing_a_registration_uncovers_the_previous_one(env):
    registry = Registry([], disabled=())
    first = registry.register("module", "M", Local)
    second = registry.register("module", "M", lambda env: Local(env, "second"))
    child = registry.child()
    assert child.create(env, "module", "M").args == ("second",)
    first.close()
    assert child.create(env, "module", "M").args == ("second",)
    second.close()
    assert not child.offers("module", "M")


def test_registrations_are_checked_at_once():
    registry = Registry([], disabled=())
    with pytest.raises(PluginError, match="not derived from"):
        registry.register("sensor", "M", Local)
    with pytest.raises(ArgumentError, match="one word"):
        registry.register("module", "two words", Local)
    with pytest.raises(ArgumentError, match="not an interface type"):
        registry.register("modul", "M", Local)


def test_a_dropped_registration_stays(env):
    registry = Registry([], disabled=())
    registry.register("module", "M", Local)
    assert registry.create(env, "module", "M").interface_id == "M"


# -- failures of objects, the rest -----------------------------------------------------


def test_failures_of_objects_stay_on_the_record(site, env):
    registry = one(site)
    made = registry.create(env, "module", "Task")
    try:
        raise ValueError("out of range")  # noqa: TRY301
    except ValueError as error:
        problem = registry.child().report_failure(made, error, "simulation_step")
    assert "my-task:Task: simulation_step raised ValueError: out of range" in str(
        problem
    )
    assert "Traceback" in problem.traceback
    record = state_of(registry, "Task")
    assert record.state is PluginState.LOADED
    (failure,) = record.failures
    assert failure.message == "ValueError: out of range"
    assert registry.report().distributions[0].failed == (record,)
    assert record.to_dict()["failures"][0]["what"] == "simulation_step"


def test_records_pickle(site):
    registry = one(site)
    assert pickle.loads(pickle.dumps(registry.records())) == registry.records()  # noqa: S301


def test_load_all_imports_everything_and_names_failures(site, caplog):
    site.distribution(
        "many",
        {
            "pyrave.module": {"Good": "good_code:Task", "Bad": "bad_code:Task"},
            "pyrave.plugins": {"worse": "worse_code"},
        },
        sources={"good_code": TASK, "bad_code": "1/0", "worse_code": "{}['key']"},
    )
    registry = site.registry()
    with caplog.at_level(logging.ERROR, "pyrave"):
        report = registry.report(load=True)
    states = {record.name: record.state.value for record in report.records}
    assert states == {"Good": "loaded", "Bad": "broken", "worse": "broken"}
    assert report.distributions[0].state is PluginState.BROKEN
    assert "KeyError" in caplog.text


@pytest.mark.parametrize("interface_type", sorted(BASE_CLASSES))
def test_every_type_has_a_base_that_names_itself(interface_type):
    base = interface_base(interface_type)
    assert base.interface_type == interface_type
    problem = class_problem(base, interface_type)
    assert problem is None or "lacks methods" in problem


# -- what is told of an installation ---------------------------------------------------


def test_a_blocked_name_that_nobody_has_is_told(site):
    registry = two(site, disabled=["dist-alfa", "dist-b*", "*"])
    notes = registry.report().notes
    assert notes[0] == (
        "the block list names 'dist-alfa', and no plugin has that name, did you mean "
        "'dist-alpha'?"
    )
    assert not any("dist-b*" in note or "'*'" in note for note in notes)


def test_a_hook_module_without_hooks_is_told(site):
    code = "import pyrave\ndef helper(): pass"
    site.distribution(
        "d", {"pyrave.plugins": {"d": "d_code"}}, sources={"d_code": code}
    )
    registry = site.registry()
    registry.call_hook("pyrave_step_begin", env=None, dt=0.1)
    (record,) = registry.records()
    assert record.state is PluginState.BROKEN
    assert "d_code has no hook; mark functions" in record.reason


def test_the_extra_of_an_entry_point_is_named(site, env):
    code = {"e_code": "import a_library_that_is_not_there"}
    site.distribution(
        "dist-e", {"pyrave.module": {"E": "e_code:E [fast]"}}, sources=code
    )
    with pytest.raises(InterfaceCreationError, match=r"pip install 'dist-e\[fast\]'"):
        site.registry().create(env, "module", "E")


def test_imports_are_timed(site):
    code = {"slow_code": "import time; time.sleep(0.05)\nTask = None"}
    groups = {"pyrave.module": {"Task": "slow_code:Task"}}
    site.distribution("slow", groups, sources=code)
    registry = site.registry()
    assert registry.records()[0].import_seconds is None
    registry.load_all()
    assert registry.records()[0].import_seconds >= 0.05


@pytest.mark.parametrize(
    ("stated", "oldest", "ours", "problem", "warning"),
    [
        (1, 1, 1, None, None),
        (1, 1, 2, None, "contract 1 of module, which a later pyrave will refuse"),
        (1, 2, 3, "for contract 1 of module, this pyrave has contract 2 to 3",
         None),
        (4, 2, 3, "update pyrave or use an older plugin", None),
        (range(1, 3), 2, 3, None, "contract 1 to 2 of module"),
        (range(1, 4), 2, 3, None, None),
        (range(3, 6), 1, 3, None, None),
        (range(0), 1, 1, "expected a whole number, or a range", None),
        (range(1, 9, 2), 1, 1, "expected a whole number, or a range", None),
        ("1", 1, 1, "expected a whole number, or a range", None),
    ],
)  # fmt: skip
def test_ranges_of_contracts(monkeypatch, stated, oldest, ours, problem, warning):
    from pyrave.plugins import contracts

    monkeypatch.setattr(contracts, "OLDEST_CONTRACTS", {"module": oldest})
    monkeypatch.setattr(contracts, "CONTRACTS", {"module": ours})
    cls = type("Task", (ModuleBase,), {"contract": stated, "__module__": "acme"})
    seen = contracts.contract_problem(cls, "module")
    assert (seen is None) == (problem is None), seen
    assert (problem or "") in (seen or "")
    if problem is None:
        told = contracts.contract_warning(cls, "module")
        assert (told is None) == (warning is None), told
        assert (warning or "") in (told or "")


def test_an_old_contract_is_told_when_it_is_loaded(site, monkeypatch, caplog):
    from pyrave.plugins import contracts

    monkeypatch.setattr(contracts, "CONTRACTS", {"module": 2})
    monkeypatch.setattr(contracts, "OLDEST_CONTRACTS", {"module": 1})
    source = "import pyrave\nclass Task(pyrave.ModuleBase):\n    contract = 1\n"
    site.distribution(
        "acme", {"pyrave.module": {"Task": "acme:Task"}}, sources={"acme": source}
    )
    registry = site.registry()
    registry.load_all()
    (record,) = registry.records()
    assert record.state is PluginState.LOADED
    assert record.warning.startswith("acme.Task is written for contract 1 of module")
    assert record.warning in caplog.text
    assert record.to_dict()["warning"] == record.warning

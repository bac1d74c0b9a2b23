"""The simulation step: order, clock, failures, the real-time thread."""

import gc
import threading
import time
import weakref
from types import SimpleNamespace

import pytest
from moved_clock import MovedClock

import pyrave
from pyrave import ArgumentError, KinBody, StateError
from pyrave.environment.simulation import steps


def spy_all(env, log):
    robot = env.robots["arm"]
    items = [
        env.physics_engine,
        robot.controller,
        env.modules[0],
        env.sensors["stand"],
        env.sensors["arm:eye"],
    ]
    for item in items:
        item.log = log
    return items


def test_the_order_of_a_step(crowded):
    log = []
    spy_all(crowded, log)

    class Watched(KinBody):
        contract = 2

        def simulation_step(self, dt):
            log.append((self.name, dt, self.env.simulation_time))

    crowded.register("kinbody", "Watched", Watched)
    body = crowded.create("kinbody", "Watched")
    body.name = "watched"
    crowded.add(body)
    crowded.step(0.01)
    names = [name for name, _, _ in log]
    assert names == ["physics", "controller", "watched", "module", "stand", "arm:eye"]
    assert {dt for _, dt, _ in log} == {0.01}
    # sensors see the end of the step
    assert [now for _, _, now in log] == [0, 0, 0, 0, 0.01, 0.01]
    assert crowded.simulation_time == 0.01


def test_the_default_controller_is_made_only_when_used(env, xml):
    env.load_string(xml.environment(xml.robot()))
    env.step(0.01)
    robot = env.robots[0]
    assert robot.own_controller is None
    assert robot.controller.interface_id == "IdealController"
    assert robot.controller is robot.controller
    assert robot.controller.get_control_dof_indices().tolist() == [0, 1]


@pytest.mark.parametrize(
    ("dt", "ticks"),
    [
        (0.01, 10_000),
        (1e-6, 1),
        (1e-7, 1),
        (1.1e-6, 2),
        (0.001, 1000),
        (1 / 3, 333_334),
        (0.1 + 0.2, 300_000),
        (1, 1_000_000),
        (0.000_003, 3),
    ],
)
def test_time_is_whole_microseconds_rounded_up(env, dt, ticks):
    env.step(dt)
    assert env.simulation_time == ticks / 1e6
    assert isinstance(env.simulation_time, float)


def test_time_does_not_drift(env):
    for _ in range(1000):
        env.step(0.001)
    assert env.simulation_time == 1.0


@pytest.mark.parametrize("dt", [0, -0.01, float("nan"), float("inf"), 1e12])
def test_a_step_without_meaning_is_refused(env, dt):
    with pytest.raises(ArgumentError, match="positive number of seconds"):
        env.step(dt)
    assert env.simulation_time == 0


def boom(dt):
    raise RuntimeError("kaboom")


@pytest.mark.parametrize("position", range(5))
def test_what_raises_in_a_step_is_disabled_alone(crowded, position):
    log = []
    items = spy_all(crowded, log)
    failing = items[position]
    name = "simulate_step" if position == 0 else "simulation_step"
    setattr(failing, name, boom)
    for _ in range(3):
        crowded.step(0.01)
    assert failing.disabled
    assert [item.disabled for item in items].count(True) == 1
    assert len(log) == 4 * 3
    assert crowded.simulation_time == 0.03
    problems = [p for p in crowded.problems if "kaboom" in p.message]
    assert len(problems) == 1
    assert repr(failing) in problems[0].message
    assert "in boom" in problems[0].traceback
    assert problems[0].code == "plugin-failure"


def test_a_mended_object_is_used_again_after_it_was_added_again(crowded):
    module = crowded.modules[0]
    good, module.simulation_step = module.simulation_step, boom
    crowded.step(0.01)
    assert module.disabled
    module.simulation_step = good
    crowded.remove(module)
    crowded.add(module)
    before = module.count
    crowded.step(0.01)
    assert module.count == before + 1
    controller = crowded.robots[0].controller
    good, controller.simulation_step = controller.simulation_step, boom
    crowded.step(0.01)
    controller.simulation_step = good
    crowded.robots[0].set_controller(controller)
    before = controller.count
    crowded.step(0.01)
    assert controller.count == before + 1


def test_a_body_whose_state_cannot_be_read_does_not_stop_the_world(crowded):
    class Opaque(KinBody):
        contract = 2

        @property
        def dof_values(self):
            raise RuntimeError("not today")

    crowded.register("kinbody", "Opaque", Opaque)
    body = crowded.create("kinbody", "Opaque")
    crowded.add(body)
    for _ in range(3):
        crowded.step(0.01)
    assert crowded.simulation_time == 0.03
    assert [b.name for b in crowded.published.bodies] == ["arm", "block"]
    (problem,) = [p for p in crowded.problems if "not today" in p.message]
    assert "reading its state raised" in problem.message


def test_the_failure_of_a_step_is_logged_once(crowded, caplog):
    crowded.modules[0].simulation_step = boom
    for _ in range(5):
        crowded.step(0.01)
    assert sum("kaboom" in record.message for record in caplog.records) == 1


def waited_for(condition):
    """Return whether a condition was met within a minute."""
    end = time.monotonic() + 60.0
    while not condition() and time.monotonic() < end:
        time.sleep(0.005)
    return condition()


def test_real_time_keeps_up_with_the_clock_on_the_wall(env, monkeypatch):
    """Each step is due 5 ms after the one before, whatever it took."""
    clock, waits = MovedClock(), []

    class Stop(threading.Event):
        def wait(self, timeout=None):
            clock.now += timeout
            waits.append(timeout)
            return self.is_set()

    def step(dt):
        clock.now += 0.002 * (1 + len(waits) % 2)

    clock.show_to(monkeypatch, "pyrave.environment.simulation")
    stand_in = SimpleNamespace(**{**vars(threading), "Event": Stop})
    monkeypatch.setattr(steps, "threading", stand_in)
    monkeypatch.setattr(env, "step", step)
    env.start(0.005)
    assert waited_for(lambda: len(waits) > 20)
    env.stop()
    assert not env.running
    assert waits[:4] == pytest.approx([0.003, 0.001, 0.003, 0.001])
    count = len(waits)
    assert clock.now == pytest.approx(1000.0 + 0.005 * count, abs=0.01)
    time.sleep(0.03)
    assert len(waits) == count


def test_as_fast_as_possible_is_faster_than_real_time(env):
    env.start(100.0, realtime=False)
    assert waited_for(lambda: env.simulation_time >= 1000.0)
    env.stop()


def test_starting_twice_is_refused_and_stopping_twice_is_not(env):
    env.start()
    with pytest.raises(StateError, match="running already"):
        env.start()
    env.stop()
    env.stop()
    env.start()
    assert env.running
    env.stop()


def test_stop_works_while_the_caller_holds_the_lock(env):
    env.start(0.001)
    done = threading.Event()

    def stop():
        with env:
            time.sleep(0.05)
            env.stop()
        done.set()

    thread = threading.Thread(target=stop, daemon=True)
    thread.start()
    assert done.wait(60)
    thread.join()


def test_a_module_may_stop_the_simulation_from_inside(crowded):
    module = crowded.modules[0]
    module.simulation_step = lambda dt: crowded.stop()
    crowded.start(0.001)
    assert waited_for(lambda: not crowded.running)
    del module.simulation_step


def simulation_threads():
    return [t for t in threading.enumerate() if t.name == "pyrave-simulation"]


@pytest.mark.parametrize("dt", [0.01, 100.0])
def test_the_thread_ends_with_its_environment(dt):
    gc.collect()
    before = len(simulation_threads())
    env = pyrave.Environment()
    env.start(dt)
    assert len(simulation_threads()) == before + 1
    time.sleep(0.05)
    watched = weakref.ref(env)
    del env
    assert waited_for(lambda: watched() is None)
    assert waited_for(lambda: len(simulation_threads()) == before)


def test_of_threads_that_start_at_once_one_wins(env, monkeypatch):

    before = len(simulation_threads())
    made = []

    class Slow(steps.SimulationThread):
        def __init__(self, *args):
            made.append(self)
            time.sleep(0.02)
            super().__init__(*args)

    monkeypatch.setattr(steps, "SimulationThread", Slow)
    refused = []
    together = threading.Barrier(8)

    def start():
        together.wait()
        try:
            env.start(0.001)
        except StateError as error:
            refused.append(error)

    threads = [threading.Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(made), len(refused)) == (1, 7)
    assert len(simulation_threads()) == before + 1
    env.stop()
    assert len(simulation_threads()) == before
    assert not env.running

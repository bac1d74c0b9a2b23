"""Loads at the same time in several threads give what each gives alone."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import pyrave

FAULTS = """
<environment>
  <kinbody name="a"><body name="b"><translation>1 2</translation></body></kinbody>
  <kinbody name="a"><bodi/></kinbody>
</environment>"""
WARNINGS = """
<robot name="r">
  <kinbody><body name="L0"/><body name="L1"><geom type="box"/><geomm/></body>
    <joint name="J0" type="hinge"><body>L0</body><body>L1</body>
      <axis>0 0 1</axis></joint>
    <body name="L2"/><joint name="J1" mimic_pos="2*J0"><body>L1</body><body>L2</body>
      <axis>0 1 0</axis></joint></kinbody>
  <manipulator name="m"><base>L0</base><effector>L2</effector></manipulator>
</robot>"""
MANY = (
    "<environment>"
    + "".join(f'<kinbody name="k{i}"><body/><tag{i}/></kinbody>' for i in range(60))
    + "</environment>"
)
ROUNDS = 15


def outcome(env):
    poses = [body.link_transforms.tolist() for body in env.bodies]
    return env.describe(), env.problems, poses


def load_text(text):
    def load():
        env = pyrave.Environment()
        try:
            env.load_string(text)
        except pyrave.SceneError as error:
            return error.problems
        return outcome(env)

    return load


def load_file(name):
    return lambda: outcome(pyrave.load(name))


LOADS = (
    *(load_text(text) for text in (FAULTS, WARNINGS, MANY)),
    *(load_file(name) for name in ("scenes/demo.env.xml", "robots/heron7.robot.xml")),
)


@pytest.fixture
def hasty():
    """Let threads take turns as often as the interpreter can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("compiled", "hasty")
def test_loads_do_not_disturb_each_other():
    alone = [load() for load in LOADS]
    barrier = threading.Barrier(len(LOADS))

    def repeat(load):
        barrier.wait()
        return [load() for _ in range(ROUNDS)]

    with ThreadPoolExecutor(len(LOADS)) as pool:
        together = list(pool.map(repeat, LOADS))
    for expected, found in zip(alone, together, strict=True):
        assert all(one == expected for one in found)


@pytest.mark.slow
def test_the_first_loads_of_a_process_may_be_at_once(tmp_path):
    """Nothing is imported, discovered or compiled yet when the threads begin."""
    script = tmp_path / "first.py"
    script.write_text(
        "import sys, threading\n"
        "sys.setswitchinterval(1e-6)\n"
        "import pyrave\n"
        "found, barrier = [], threading.Barrier(4)\n"
        "def load():\n"
        "    barrier.wait()\n"
        "    found.append(len(pyrave.load('scenes/demo.env.xml').bodies))\n"
        "threads = [threading.Thread(target=load) for _ in range(4)]\n"
        "for thread in threads: thread.start()\n"
        "for thread in threads: thread.join()\n"
        "assert len(found) == 4 and len(set(found)) == 1, found\n"
    )
    done = subprocess.run(
        [sys.executable, script], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr

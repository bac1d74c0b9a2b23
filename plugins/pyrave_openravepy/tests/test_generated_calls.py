"""Calls of all names of the table, in any order and with any arguments."""

import contextlib
import inspect
import itertools
import re
import signal

import numpy as np
import pytest

from pyrave_openravepy.api.foundation.refusals import find_owner
from pyrave_openravepy.names import Name, all_sections

CALLS = 1000
LONGEST = 20
"""Seconds after which a call hangs."""
LEFT_OUT = frozenset(
    (
        # nothing is left to go on with
        *("Destroy", "RaveDestroy", "Reset", "with_destroy"),
        # they set what other tests see, or wait as they are asked
        *("InitOpenRAVELogging", "RaveInitialize", "RaveSetDebugLevel"),
        *("raveSetDebugLevel", "RaveSetDataAccess", "main", "quitmainloop", "show"),
        # programs, which end by SystemExit
        *("run", "RunFromParser", "InitializeFromParser", "parseAndCreate"),
        *("parseAndCreateThreadedUser", "parseEnvironment"),
    )
)


class Calls:
    """Calls of a seed: objects of a scene, and arguments that fit or do not."""

    def __init__(self, openravepy, env, seed):
        self.openravepy, self.env = openravepy, env
        self.random = np.random.default_rng(seed)
        self.robot = env.GetRobots()[0]
        self.link = self.robot.GetLinks()[1]
        # by parts of the names of parameters
        self.fitting = {
            "env": env,
            "robot": self.robot,
            "body": env.GetBodies()[1],
            "manip": self.robot.GetManipulators()[0],
            "link": self.link,
            "joint": self.robot.GetJoints()[0],
            "filename": "some.xml",
            "name": "arm",
            "transform": np.eye(4),
            "pose": [1, 0, 0, 0, 0, 0, 0],
            "values": self.robot.GetDOFValues(),
            "indices": [0, 1],
            "report": openravepy.CollisionReport(),
            "spec": self.robot.GetConfigurationSpecification(),
            "traj": openravepy.RaveCreateTrajectory(env, ""),
        }
        numbers = (0, 1, -1, 5, 1e9, float("nan"), True, 3 + 2j)
        lists = ([], [1], [0, 1], [1, 2, 3], list(range(7)), {}, {0: [1] * 6}, ())
        data = (openravepy.AABB(), openravepy.TriMesh(), openravepy.Ray())
        infos = (openravepy.KinBody.GeometryInfo(), openravepy.Robot.ManipulatorInfo())
        self.any = [
            *(None, object(), "", "x", b"x", np.zeros((3, 3)), lambda *_: 0),
            *(*numbers, *lists, *data, *infos, *self.fitting.values()),
        ]
        self.subjects = {}
        # made at once: calls take links and sensors away
        self.things = [
            *(*self.fitting.values(), self.link.GetGeometries()[0]),
            self.robot.GetController(),
            *(env.GetCollisionChecker(), env.GetPhysicsEngine()),
            *self.robot.GetAttachedSensors()[:1],
            self.robot.GetAttachedSensors()[0].GetSensor(),
            openravepy.RaveCreatePlanner(env, "BiRRT"),
            openravepy.RaveCreateModule(env, "BaseManipulation"),
            openravepy.RaveCreateSpaceSampler(env, "MT19937"),
            env.plot3([0, 0, 0], 3),
        ]

    def choice(self, items):
        return items[self.random.integers(len(items))]

    def subject(self, path, owner):
        """Return an object of a section, or its class or module."""
        if not isinstance(owner, type):
            return owner
        if path not in self.subjects:
            self.subjects[path] = self.made(owner)
        return self.subjects[path]

    def made(self, owner):
        found = [thing for thing in self.things if type(thing) is owner]
        if found:
            return found[0]
        for given in ((), (self.robot,), (self.env,), (self.fitting["manip"],)):
            with contextlib.suppress(Exception):
                return owner(*given)
        return owner

    def arguments(self, name):
        """Return arguments of one of the documented forms, or any."""
        if self.random.random() < 0.4:
            return [self.choice(self.any) for _ in range(self.choice((0, 1, 1, 2, 3)))]
        form = self.choice(name.arguments.strip("() ").split("|"))
        words = re.findall(r"(?:^|,)\s*\**(\w+)", form)
        if self.random.random() < 0.3:
            words = words[: self.random.integers(len(words) + 1)]
        return [self.argument(word.lower()) for word in words]

    def argument(self, word):
        fits = [value for part, value in self.fitting.items() if part in word]
        return fits[0] if fits and self.random.random() < 0.8 else self.choice(self.any)

    def call(self, path, name):
        """Call a name or read an attribute; True if that ended in a value."""
        owner = find_owner(path)
        subject = self.subject(path, owner)
        if name.name == "GetNothing":
            with pytest.raises(AttributeError, match="GetNothing"):
                getattr(subject, name.name)
            return False
        value = getattr(subject, name.name) if name.name else owner
        if not callable(value):
            return bool(repr(value))
        if hasattr(owner, "__members__"):
            found = value(self.choice((0, 1, -1, 10**6, 1.5, "x", "", None, ())))
        else:
            found = value(*self.arguments(name))
        if inspect.isgenerator(found):
            found = list(itertools.islice(found, 3))
        return bool(repr(found))


def rows_of_the_table():
    """Return sections with names; "" is the class, `GetNothing` a name of none."""
    rows = []
    for path, section in all_sections().items():
        owner = find_owner(path)
        if path.startswith("examples") or _is_exception(owner):
            continue
        rows += [(path, one) for one in section.names if one.name not in LEFT_OUT]
        rows.append((path, Name("GetNothing")))
        rows += [(path, Name(""))] * isinstance(owner, type)
    return rows


def _is_exception(owner):
    return isinstance(owner, type) and issubclass(owner, BaseException)


def _hang(*_):
    pytest.fail(f"a call takes more than {LONGEST} s")


@pytest.mark.parametrize("seed", range(3))
def test_calls_end_in_values_or_in_openrave_exceptions(
    openravepy, env, seed, tmp_path, monkeypatch
):
    assert env.Load("scenes/demo.env.xml")
    monkeypatch.chdir(tmp_path)
    calls, rows = Calls(openravepy, env, seed), rows_of_the_table()
    before = signal.signal(signal.SIGALRM, _hang)
    values = 0
    try:
        for index in calls.random.permutation(len(rows))[:CALLS]:
            path, name = rows[index]
            signal.alarm(LONGEST)
            try:
                values += calls.call(path, name)
            except (openravepy.openrave_exception, openravepy.PlanningError):
                pass
            except Exception as error:
                # CompareBodies and the like say so what differs
                if not (isinstance(error, AssertionError) and "Compare" in name.name):
                    raise AssertionError(f"seed {seed}: {path}.{name.name}") from error
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
        # environments that calls have made
        openravepy.RaveDestroy()
    assert values > CALLS // 4

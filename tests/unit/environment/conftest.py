"""Scenes and spying interfaces for the tests of the environment."""

import numpy as np
import pytest

import pyrave
from pyrave import (
    CollisionCheckerBase,
    CollisionOptions,
    ControllerBase,
    ModuleBase,
    PhysicsEngineBase,
    SensorBase,
    SensorData,
    SensorGeometry,
    SensorType,
)
from pyrave.jit import eager

BOX = '<geom type="box"><extents>.1 .1 .1</extents></geom>'


def joint_xml(name, parent, child, axis="0 0 1", limits="-90 90"):
    return (
        f'<joint name="{name}" type="hinge"><body>{parent}</body><body>{child}</body>'
        f"<offsetfrom>{child}</offsetfrom><axis>{axis}</axis>"
        f"<limitsdeg>{limits}</limitsdeg></joint>"
    )


def robot_xml(name="arm", extra="", more=""):
    return f"""<robot name="{name}"><kinbody>
      <body name="base">{BOX}</body>
      <body name="upper"><offsetfrom>base</offsetfrom>
        <translation>0 0 .5</translation>{BOX}</body>
      <body name="lower"><offsetfrom>upper</offsetfrom>
        <translation>.4 0 0</translation>{BOX}</body>
      {joint_xml("shoulder", "base", "upper")}
      {joint_xml("elbow", "upper", "lower", "0 1 0")}
      {more}</kinbody>
      <manipulator name="hand"><base>base</base><effector>lower</effector>
        <translation>.2 0 0</translation></manipulator>
      {extra}</robot>"""


def body_xml(name="block", extra="", position="1 0 0"):
    return (
        f'<kinbody name="{name}"><translation>{position}</translation>'
        f'<body name="block">{BOX}</body>{extra}</kinbody>'
    )


def environment_xml(*parts):
    return f"<environment>{''.join(parts)}</environment>"


class Log(list):
    """What the spies did, in order."""


class SpySensor(SensorBase):
    contract = 2
    settings_type = None

    def __init__(self, env, *args):
        super().__init__(env, *args)
        self.on = False
        self.pose = np.eye(4)
        self.count = 0
        self.log = None

    def configure(self, command, blocking=False):
        from pyrave import ConfigureCommand

        if command is ConfigureCommand.POWER_ON:
            self.on = True
        elif command is ConfigureCommand.POWER_OFF:
            self.on = False
        return int(self.on)

    def get_sensor_geometry(self, sensor_type=SensorType.INVALID):
        return SensorGeometry()

    def create_sensor_data(self, sensor_type=SensorType.INVALID):
        return SensorData()

    def get_sensor_data(self, data):
        data.stamp = self.count
        data.pose = self.transform
        return self.count > 0

    def supports(self, sensor_type):
        return False

    def get_own_state(self):
        return self.count

    def set_own_state(self, state):
        self.count = state

    def simulation_step(self, dt):
        self.count += 1
        if self.log is not None:
            self.log.append((self.name, dt, self.env.simulation_time))


class SpyController(ControllerBase):
    contract = 2

    def __init__(self, env, *args):
        super().__init__(env, *args)
        self.log = None
        self.indices = ()
        self.base = False
        self.count = 0

    def init(self, robot, dof_indices, control_transform):
        self.indices = tuple(dof_indices)
        self.base = control_transform

    def get_control_dof_indices(self):
        return self.indices

    def is_control_transformation(self):
        return self.base

    def get_robot(self):
        return None

    def reset(self, options=0):
        self.count = 0

    def set_desired(self, values, transform=None):
        return True

    def set_path(self, trajectory):
        return True

    def is_done(self):
        return True

    def get_own_state(self):
        return self.count

    def set_own_state(self, state):
        self.count = state

    def simulation_step(self, dt):
        self.count += 1
        if self.log is not None:
            self.log.append(("controller", dt, self.env.simulation_time))


class SpyModule(ModuleBase):
    contract = 1
    settings_type = None

    def __init__(self, env, *args):
        super().__init__(env, *args)
        self.log = None
        self.calls = []
        self.count = 0

    def main(self, args):
        self.calls.append(("main", args))
        return 0

    def reset(self):
        self.calls.append("reset")

    def destroy(self):
        self.calls.append("destroy")

    def get_own_state(self):
        return self.count

    def set_own_state(self, state):
        self.count = state

    def simulation_step(self, dt):
        self.count += 1
        if self.log is not None:
            self.log.append(("module", dt, self.env.simulation_time))
        return True


class SpyEngine(PhysicsEngineBase):
    contract = 1

    def __init__(self, env, *args):
        super().__init__(env, *args)
        self.log = None
        self.calls = []
        self.count = 0

    def set_physics_options(self, options): ...

    def get_physics_options(self):
        return 0

    def init_environment(self):
        self.calls.append("init")

    def destroy_environment(self):
        self.calls.append("destroy")

    def init_kinbody(self, body):
        self.calls.append(("add", body.name))

    def remove_kinbody(self, body):
        self.calls.append(("remove", body.name))

    def set_link_velocity(self, link, linear, angular): ...

    def set_link_velocities(self, body, velocities): ...

    def get_link_velocity(self, link):
        return np.zeros(6)

    def get_link_velocities(self, body):
        return np.zeros((len(body.links), 6))

    def get_own_state(self):
        return self.count

    def set_own_state(self, state):
        self.count = state

    def simulate_step(self, dt):
        self.count += 1
        if self.log is not None:
            self.log.append(("physics", dt, self.env.simulation_time))


class SpyChecker(CollisionCheckerBase):
    """Says that everything collides, unless told otherwise."""

    contract = 2

    def __init__(self, env, *args):
        super().__init__(env, *args)
        self.options = CollisionOptions.NONE
        self.calls = []
        self.hit = True

    def set_collision_options(self, options):
        self.options = options

    def get_collision_options(self):
        return self.options

    def set_tolerance(self, tolerance): ...

    def init_environment(self):
        self.calls.append("init")

    def destroy_environment(self):
        self.calls.append("destroy")

    def init_kinbody(self, body):
        self.calls.append(("add", body.name))

    def remove_kinbody(self, body):
        self.calls.append(("remove", body.name))

    def check_collision(
        self, first, second=None, *, excluded_bodies=(), excluded_links=(), report=None
    ):
        from pyrave.interfaces import CollisionPair, CollisionSide

        if self.hit and report is not None:
            link = first if hasattr(first, "body") else first.links[0]
            report.pairs.append(CollisionPair(CollisionSide.of_link(link)))
        return self.hit

    def check_ray(self, origin, direction, target=None, report=None):
        return False

    def check_self_collision(self, subject, report=None):
        return False


SPIES = {
    "sensor": SpySensor,
    "controller": SpyController,
    "module": SpyModule,
    "physicsengine": SpyEngine,
    "collisionchecker": SpyChecker,
}


def register_spies(env):
    for kind, made in SPIES.items():
        env.register(kind, made.__name__, made)


@pytest.fixture
def compiled():
    """Have kernels compiled when they are first called.

    Else some are in the midst of a test, which depends on the tests before it: that
    takes memory once, and the last digit of a result may become another.
    """
    with eager():
        yield


@pytest.fixture
def env():
    """An empty environment that offers the spies."""
    made = pyrave.Environment()
    register_spies(made)
    return made


@pytest.fixture
def xml():
    """Functions that write scene texts."""
    from types import SimpleNamespace

    return SimpleNamespace(
        robot=robot_xml, body=body_xml, environment=environment_xml, joint=joint_xml
    )


@pytest.fixture
def spies():
    from types import SimpleNamespace

    return SimpleNamespace(
        sensor=SpySensor,
        controller=SpyController,
        module=SpyModule,
        engine=SpyEngine,
        checker=SpyChecker,
        register=register_spies,
    )


@pytest.fixture
def crowded(env, xml):
    """An environment with one object of every kind that steps."""
    sensor = (
        '<attachedsensor name="eye"><link>lower</link><translation>0 0 .1</translation>'
        '<sensor type="SpySensor"/></attachedsensor>'
    )
    env.load_string(
        xml.environment(
            xml.robot(extra=f'{sensor}<controller type="SpyController"/>'),
            xml.body(),
            '<sensor type="SpySensor" name="stand"/>',
            '<module type="SpyModule" args="one two"/>',
            '<physicsengine type="SpyEngine"/>',
            '<collisionchecker type="SpyChecker"/>',
        ),
        strict=True,
    )
    return env

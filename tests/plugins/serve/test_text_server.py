"""OpenRAVE's text protocol: what its clients for Octave send and expect."""

from __future__ import annotations

import gc
import re
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from types import SimpleNamespace

import numpy as np
import pytest
from serving import EVERYWHERE, PATIENCE, TextClient

import pyrave
from pyrave_serve.call_objects import Limits
from pyrave_serve.text.table import TEXT_COMMANDS

FAILED = "error\n"


@pytest.fixture
def robot(env):
    return env.robots["heron7"]


@pytest.fixture
def number(text):
    return text.ask("env_getbody heron7")


def columns(pose):
    return pose[:3].T.ravel()


def test_commands_say_all_about_themselves():
    assert len(TEXT_COMMANDS) == 45
    for name, one in TEXT_COMMANDS.items():
        assert re.fullmatch(r"[a-z_]+", name)
        assert one.summary


def test_bodies(text, env, number):
    count, *lines = text.ask("env_getbodies").splitlines()
    names = [
        line.split()[1] for line in (count.partition(" ")[2], *lines) if line.strip()
    ]
    assert names == list(env.bodies.names)
    found = text.ask("env_getrobots").split()[:4]
    assert found == ["1", number, "heron7", "GenericRobot"]
    assert text.ask("ENV_GETBODY nobody") == "0"
    mug = text.ask("env_getbody mug")
    text.tell(f"body_destroy {mug}")
    assert text.ask("env_getbody mug") == "0"
    assert text.ask(f"body_getdof {mug}") == FAILED


def test_poses(text, env):
    mug = text.ask("env_getbody mug")
    body = env.bodies["mug"]
    turned = np.eye(4)
    turned[:3] = [[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3]]
    text.tell(f"body_settransform {mug} " + " ".join(map(str, columns(turned))))
    assert text.numbers(f"body_getlinks {mug}") == pytest.approx(
        columns(turned).tolist()
    )
    assert np.allclose(body.transform, turned)
    text.tell(f"body_settransform {mug} 1 0 0 0 4 5 6")
    text.tell(f"body_settransform {mug} 7 8 9")
    found = text.numbers(f"body_getaabb {mug}")
    assert np.allclose(found, np.ravel(body.aabb))
    assert body.transform[:3, 3].tolist() == [7.0, 8.0, 9.0]
    assert len(text.numbers(f"body_getaabbs {mug}")) == 6 * len(body.links)
    text.tell(f"body_enable {mug} 0")
    assert text.ask(f"body_getdof {mug}") == "0"
    assert not body.enabled


def test_joints(text, robot, number):
    assert text.numbers(f"body_getjoints {number}") == robot.dof_values.tolist()
    text.tell(f"body_setjoints {number} 2 0.25 0.125 3 1")
    assert text.numbers(f"body_getjoints {number} 1 3") == [0.125, 0.25]
    text.tell(f"body_setjoints {number} 8 " + "0 " * 8)
    assert text.numbers(f"robot_getdofvalues {number}") == [0.0] * 8
    text.tell(f"robot_setactivedofs {number} 2 1 0 0")
    assert text.ask(f"robot_getactivedof {number}") == "2"
    text.tell(f"robot_setdof {number} 2 0.5 99")
    limit = robot.dof_limits[1][0]
    assert text.numbers(f"robot_getdofvalues {number}") == [0.5, limit]
    count, *limits = text.numbers(f"robot_getlimits {number}")
    assert count == 2
    assert limits == np.ravel(robot.active.limits).tolist()
    text.tell(f"robot_setactivedofs {number} 0 8 0 0 1")
    assert text.ask(f"robot_getactivedof {number}") == "1"
    text.tell(f"body_setjointtorques {number} 0 8 " + "0.1 " * 8)
    text.tell(f"body_setjointtorques {number} 1 8 " + "0.1 " * 8)
    assert text.ask(f"robot_getactivedof {number}") == "1"


def test_manipulators_as_the_client_reads_them(text, robot, number):
    words = text.ask(f"robot_getmanipulators {number}").split()
    arm = robot.manipulators["arm"]
    assert words[:3] == ["1", str(arm.base.index), str(arm.end_effector.index)]
    tool = np.array(words[3:15], float)
    assert np.allclose(tool, columns(arm.local_tool_transform))
    assert words[15:17] == ["1", "7"]  # a gripper joint, the last
    assert words[17:25] == ["7", *map(str, range(7))]
    assert words[25] == "1"
    assert np.allclose(np.array(words[27:30], float), arm.direction)
    assert words[30:32] == ["3", "arm"]
    text.tell(f"robot_setactivemanipulator {number} 0")
    assert text.ask(f"robot_getactivedof {number}") == "8"
    assert arm.ik_solver is arm.own_ik_solver
    assert text.ask(f"robot_getmanipulators {number}").endswith("8 Analytic ")


def test_sensors_as_the_client_reads_them(text, env, robot, number):
    words = text.ask(f"robot_getsensors {number}").split()
    assert words[:4] == ["1", "5", "laser", str(robot.attached_sensors[0].link.index)]
    assert words[16:18] == ["11", "BaseLaser2D"]
    assert text.ask(f"robot_sensordata {number} 0 1") == FAILED  # nothing yet
    for _ in range(20):
        text.tell("env_stepsimulation 0.01 1")
    kind, rays, starts, light, *rest = text.numbers(f"robot_sensordata {number} 0 0")
    data = robot.attached_sensors["laser"].read()
    assert (kind, rays, starts, light) == (1, len(data.ranges), 1, 0)
    ranges = np.array(rest[: 3 * len(data.ranges)]).reshape(-1, 3)
    assert np.array_equal(ranges, data.ranges, equal_nan=True)
    more = text.numbers(f"robot_sensordata {number} 0 1")
    assert more[3] == len(data.intensity)
    assert text.ask(f"robot_sensorconfigure {number} 0 PowerCheck") == "1"
    text.ask(f"robot_sensorconfigure {number} 0 poweroff")
    assert text.ask(f"robot_sensorconfigure {number} 0 powercheck") == "0"
    assert text.ask(f"robot_sensorconfigure {number} 0 selfdestruct") == FAILED
    assert text.ask(f"robot_sensorsend {number} 0 nonsense") == FAILED
    assert text.ask(f"robot_sensordata {number} 1 0") == FAILED


def test_camera_as_the_client_reads_it(env, text):
    env.load_string(
        '<robot name="eye"><kinbody><body name="b"/></kinbody>'
        '<attachedsensor name="camera"><link>b</link><translation>0 0 3</translation>'
        '<sensor type="BaseCamera"><width>32</width><height>24</height>'
        "<kk>30 30 15.5 11.5</kk></sensor></attachedsensor></robot>"
    )
    number = text.ask("env_getbody eye")
    text.ask(f"robot_sensorconfigure {number} 0 poweron")
    for _ in range(5):
        env.step(0.1)
    values = text.numbers(f"robot_sensordata {number} 0 0")
    data = env.robots["eye"].attached_sensors["camera"].read()
    assert values[:7] == [2, 32, 24, 30, 30, 15.5, 11.5]
    assert np.allclose(values[7:19], columns(data.pose))
    # decoded as orRobotSensorGetData does
    count = int(values[19])
    packed = np.array(values[20 : 20 + count], int)
    assert values[20 + count] == count
    runs = np.array(values[21 + count :], int)
    pixels = np.repeat(packed, runs)
    image = np.stack((pixels & 255, pixels >> 8 & 255, pixels >> 16), axis=-1)
    assert np.array_equal(image.reshape(24, 32, 3), data.image)


def test_collisions_and_rays(text, env, robot, number):
    hit, other, *contacts = text.numbers(f"body_checkcollision {number} 0 1")
    assert hit == 1
    assert str(int(other)) == text.ask("env_getbody table")
    assert len(contacts) % 7 == 0
    assert contacts
    table = int(other)
    room = text.ask("env_getbody room")
    assert text.numbers(f"body_checkcollision {number} 2 {table} {room}") == [0, 0]
    assert text.numbers(f"body_checkcollision {number} 0 0 7") == [0, 0]
    assert text.ask(f"robot_checkselfcollision {number}") == "0"
    # the length of a ray is that of its direction
    found = text.numbers("env_raycollision 0 0 0 5 0 0 -10 0 0 5 0 0 -1")
    hits = env.raycast([0, 0, 5], [0, 0, -1])
    assert found[:2] == [1, 0]
    assert np.allclose(found[2:8], [*hits.position[0], *hits.normal[0]])
    assert found[8:] == [0.0] * 6
    assert text.numbers(f"env_raycollision {room} 0 0 5 0 0 -10")[0] == 1
    assert text.ask("env_raycollision 0") == ""


def test_triangles(text, env):
    mug = text.ask("env_getbody mug")
    points, faces, *rest = text.numbers(f"env_triangulate 1 {mug}")
    assert len(rest) == 3 * points + 3 * faces
    corners = np.array(rest[: int(3 * points)]).reshape(-1, 3)
    centre, half = env.bodies["mug"].aabb
    assert np.allclose(corners.min(axis=0), centre - half, atol=1e-3)
    assert max(rest[int(3 * points) :]) < points
    assert text.numbers(f"env_triangulate 0 {mug}")[0] > points


def test_trajectories(text, env, robot, number):
    text.tell(f"robot_setactivedofs {number} 2 0 1 0")
    start = robot.dof_values[:2]
    text.tell(
        f"robot_traj {number} 3 1 0 {start[0]} {start[1]} 0.1 0.2 0.2 0.3 0 0.5 1.5"
    )
    assert text.ask(f"wait {number} 0.4") == "0"
    assert text.ask(f"wait {number}") == "1"
    assert text.numbers(f"robot_getdofvalues {number}") == pytest.approx([0.2, 0.3])
    assert env.simulation_time == pytest.approx(1.5, abs=0.03)
    text.tell(f"robot_traj {number} 1 0 0 0 0")
    assert text.ask(f"wait {number} 30") == "1"
    assert text.numbers(f"robot_getdofvalues {number}") == pytest.approx([0.0, 0.0])
    pose = columns(np.eye(4) + np.eye(4, k=3))
    moved = " ".join(map(str, [*columns(np.eye(4)), *pose]))
    text.tell(f"robot_traj {number} 2 1 1 0 0 0 0 0 1 {moved}")
    assert text.ask(f"wait {number} 30") == "1"
    assert robot.transform[0, 3] == pytest.approx(1.0)
    assert text.ask("wait") == text.ask("wait 0") == "1"


def test_a_simulation_that_runs(text, env, number):
    text.tell("setoptions simulation start 0.002")
    text.tell(f"robot_setactivedofs {number} 1 0 0")
    text.tell(f"robot_traj {number} 1 0 0 0.1")
    assert text.ask(f"wait {number} 100") == "1"
    assert env.running
    text.tell("setoptions simulation stop")
    assert text.ask("env_getbody nobody") == "0"
    assert not env.running


def test_files(text, env):
    cup = text.ask("createbody cup objects/mug.kinbody.xml")
    assert text.ask("env_getbody cup") == cup
    planar = text.ask("createrobot planar robots/planar3r.robot.xml GenericRobot")
    assert text.ask(f"body_getdof {planar}") == "3"
    for line in (
        "createbody cup objects/mug.kinbody.xml",  # the name is taken
        "createrobot r objects/mug.kinbody.xml GenericRobot",
        "createbody b scenes/demo.env.xml",
        "createbody b /etc/passwd",
        "loadscene /etc/passwd",
        "loadscene nonsuch.env.xml",
    ):
        before = env.bodies.names
        assert text.ask(line) == FAILED
        assert env.bodies.names == before
    assert text.ask("loadscene scenes/demo.env.xml 1") == ""
    assert "heron7" in env.robots.names
    assert text.ask("loadscene") == ""
    assert not env.bodies


def test_modules(text, env):
    from pyrave import ModuleBase, command

    class Greeter(ModuleBase):
        contract = 1

        @command
        def greet(self, name: str) -> str:
            """Greet somebody."""
            return f"hello {name} {self.main_args}"

    with env.register("module", "Greeter", Greeter):
        first = text.ask("createmodule 1 Greeter with words")
        second = text.ask("createmodule 1 greeter again")
        assert len(env.modules) == 1
        third = text.ask("createmodule 0 Greeter more")
    assert text.ask(f"problem_sendcmd {second} 0 0 greet you") == "hello you again"
    both = text.ask("problem_sendcmd 0 0 0 greet all")
    assert both == "hello all again hello all more "
    assert text.ask(f"problem_sendcmd {first} 0 0 greet you") == FAILED
    text.tell(f"env_dstrprob {third}")
    assert text.ask("createmodule 1 textserver 0") == FAILED
    assert text.ask("createmodule 1 nonsuch") == FAILED
    assert len(env.modules) == 1
    assert text.ask("env_loadplugin pyrave_ik") == ""
    assert text.ask("env_loadplugin /tmp/evil.py") == FAILED


def test_drawing(text, env):
    line = "0 0 0 1 1 1"
    numbers = [text.ask(f"plot 2 {line} {colors} 3 {style} 0.5")
               for style in range(4)
               for colors in ("0", "1 1 0 0", "2 1 0 0 0 1 0")]  # fmt: skip
    assert len(set(numbers)) == len(env.draw) == 12
    assert text.ask("plot 3 0 0 0 1 0 0 0 1 0 0 1 4 0") != FAILED
    text.tell(f"close {numbers[0]} {numbers[1]}")
    assert text.ask("plot 1 0 0 0 0 1 9 0") == FAILED
    assert len(env.draw) == 11
    text.tell("close")
    assert text.ask("plot 1000000000 0 0 0 0 1 0 0") == FAILED
    assert len(env.draw) == 0


def test_controllers_and_options(text, env, robot, number):
    assert text.ask(f"robot_controllersend {number} Pause 1") == ""
    assert text.ask(f"robot_controllersend {number} nonsense") == FAILED
    assert text.ask(f"robot_controllerset {number} IdealVelocityController") == ""
    assert robot.controller.interface_id == "IdealVelocityController"
    assert text.ask(f"robot_controllerset {number} nonsuch") == FAILED
    text.tell("setoptions gravity 0 0 -5 collision GenericCollisionChecker")
    text.tell("setoptions physics")
    text.tell("setoptions nonsense 1")
    text.tell("render start")
    text.tell("test")
    assert text.ask("env_getbody nobody") == "0"
    assert env.gravity.tolist() == [0.0, 0.0, -5.0]
    assert env.collision_checker.interface_id == "GenericCollisionChecker"


def test_errors_are_logged(text, caplog):
    assert text.ask("env_getbodys") == FAILED
    assert "'env_getbodys' is answered with an error: no command" in caplog.text
    assert "did you mean 'env_getbody'?" in caplog.text
    text.tell("body_settransform 1 2")  # nothing is said to it
    assert text.ask("env_getbody") == FAILED
    assert "a pose has 1 numbers, expected 12" in caplog.text


HOSTILE = [
    "", " ", "\x00", "\xff" * 100, "env_getbody " + "x" * 10_000, "body_getdof nan",
    "body_getdof 1e400", "body_getdof -1", "body_getdof 1.5",
    "body_getdof 99999999999999",
    "body_setjoints 3 999999999 1", "body_setjoints 3 -1", "body_setjoints 3 1 inf",
    "body_setjoints 3 1 0 99", "body_setjoints 3 2 0 0 1 1", "robot_getlimits 1",
    "robot_setactivedofs 3 1 99 0", "robot_setactivedofs 3 0 99", "body_getlinks",
    "robot_setactivedofs 3 999999999999 0", "env_stepsimulation -1",
    "wait 1", "wait 99",
    "env_stepsimulation nan", "env_raycollision 0 1 2 3",
    "env_raycollision 0 0 0 0 0 0 0",
    "robot_traj 3 999999999 1 1 0", "robot_traj 3 1 0 1 0", "robot_traj 3 0 0 0",
    "createmodule x", "createbody", "problem_sendcmd 1 0", "robot_sensordata 3 -1 0",
    "body_checkcollision 3 99999999", "body_checkcollision 3 0 1 99",
    "setoptions gravity 1",
    "setoptions simulation start -1", "plot 0 0 1 0 0", "close x", "env_triangulate",
    "robot_setactivemanipulator 3 x", "env_dstrprob 5", "body_destroy 0",
    "createbody b \x00", "loadscene http://example.com/x.env.xml", "debug", "exit",
]  # fmt: skip


def test_hostile_lines(text, env):
    poses = env.bodies["heron7"].dof_values
    for line in HOSTILE:
        text.tell(line)
    text.socket.sendall(b"\xff\xfe\x00\n\r\r\n\n")
    text.tell("env_getbody end_of_it")
    answers = []
    while (answer := text.read()) != "0":
        answers.append(answer)
    assert set(answers) == {FAILED}
    assert np.array_equal(env.bodies["heron7"].dof_values, poses)


def test_lines_that_are_too_long(text_server, env):
    client = TextClient(text_server)
    with suppress(ConnectionError):
        client.socket.sendall(b"x" * 4_000_000)
    with pytest.raises((EOFError, ConnectionError)):
        client.read()
    client.close()
    other = TextClient(text_server)
    assert other.ask("env_getbody nobody") == "0"
    other.close()


def test_clients_that_leave(text_server, env, text, number):
    robot = env.robots["heron7"]
    text.tell(f"robot_setactivedofs {number} 1 0 0")
    text.tell(f"robot_traj {number} 2 1 0 {robot.dof_values[0]} 0.1 0 100000")
    leaves = TextClient(text_server)
    leaves.tell(f"wait {number}")
    leaves.tell("env_getbodies")
    leaves.close()
    assert text.ask("env_getbody nobody") == "0"
    for _ in range(200):
        before = env.simulation_time
        time.sleep(0.3)
        if env.simulation_time == before:
            break
    assert env.simulation_time == before  # nobody waits any more


def test_ten_clients_at_once(text_server, env):
    def use(number):
        client = TextClient(text_server)
        for _ in range(20):
            client.tell("env_stepsimulation 0.001 1")
            assert client.ask("env_getbody heron7") == "3"
        client.close()

    with ThreadPoolExecutor(10) as pool:
        list(pool.map(use, range(10)))
    assert env.simulation_time == 0.2


def test_a_thousand_clients_come_and_go():
    psutil = pytest.importorskip("psutil")
    process = psutil.Process()
    server = pyrave.Environment().create("module", "textserver")
    server.limits = Limits(clients=16)
    server.open(port=0)

    def come_and_go(count):
        for number in range(count):
            client = TextClient(server)
            if number % 5:
                assert client.ask("env_getbody nobody") == "0"
            client.close()

    try:
        come_and_go(50)
        gc.collect()
        before = process.num_fds(), process.num_threads(), len(gc.get_objects())
        come_and_go(1000)
        for _ in range(100):
            gc.collect()
            after = process.num_fds(), process.num_threads(), len(gc.get_objects())
            if after[0] <= before[0] + 1 and after[1] <= before[1]:
                break
            time.sleep(0.1)
        assert after[0] <= before[0] + 1
        assert after[1] <= before[1]
        assert after[2] < before[2] + 1000
        held = [TextClient(server) for _ in range(20)]
        with pytest.raises((EOFError, ConnectionError)):
            [one.ask("env_getbody nobody") for one in held]
        for one in held:
            one.close()
    finally:
        server.close()


def test_silent_clients_keep_nobody_out(env):
    server = env.create("module", "textserver")
    server.limits = Limits(silent_seconds=10 * PATIENCE)
    server.open(port=0)
    address = ("localhost", server.port)
    silent = [socket.create_connection(address) for _ in range(100)]
    try:
        client = TextClient(server)
        assert client.ask("env_getbody nobody") == "0"
    finally:
        for one in silent:
            one.close()
        server.close()


def test_who_says_nothing_is_sent_away(env):
    server = env.create("module", "textserver")
    server.limits = Limits(silent_seconds=0.2, text_idle_seconds=10 * PATIENCE)
    server.open(port=0)
    address = ("localhost", server.port)
    with socket.create_connection(address, PATIENCE) as one, suppress(ConnectionError):
        assert one.recv(100) == b""
    server.close()
    # who asks nothing for long leaves, too
    server.limits = Limits(silent_seconds=10 * PATIENCE, text_idle_seconds=0.2)
    server.open(port=0)
    client = TextClient(server)
    assert client.ask("env_getbody nobody") == "0"
    with pytest.raises((EOFError, ConnectionError)):
        client.read()
    server.close()


def test_quit_and_its_end(text_server, text):
    text.tell("setoptions quit")
    assert text_server.wait(PATIENCE)
    with pytest.raises((EOFError, ConnectionError)):
        text.ask("env_getbody nobody")
    assert text_server.address == ""


def test_where_it_listens(caplog):
    env = pyrave.Environment()
    server = env.create("module", "textserver")
    with pytest.raises(pyrave.NotSupportedError, match="a protocol without tokens"):
        server.open(port=0, token="auto" * 5)
    env.add(server, args="0")
    assert server.address == f"tcp://localhost:{server.port}"
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.2", server.port), timeout=PATIENCE)
    assert "without a password" not in caplog.text
    env.remove(server)
    server.open(host="127.0.0.2", port=0)
    assert "without a password" not in caplog.text
    server.close()
    server.open(host=EVERYWHERE, port=0)
    assert "without a password" in caplog.text
    server.close()


def test_a_client_that_does_not_read(env):
    server = env.create("module", "textserver")
    server.limits = Limits(clients=1, idle_seconds=0.2)
    server.open(port=0)
    deaf = TextClient(server)
    with suppress(ConnectionError):
        deaf.socket.settimeout(2.0)
        with suppress(TimeoutError):
            deaf.socket.sendall(b"env_getbodies\n" * 50_000)
    deaf.socket.settimeout(PATIENCE)

    def is_served():
        other = TextClient(server)
        try:
            return other.ask("env_getbody nobody") == "0"
        except (EOFError, ConnectionError):
            return False
        finally:
            other.close()

    assert any(is_served() or time.sleep(0.1) for _ in range(100))
    deaf.close()
    server.close()


def test_pages_of_browsers_drive_nothing(text_server, env):
    """A form of any site may post lines to a port of this computer."""
    posted = (
        b"POST / HTTP/1.1\r\nHost: localhost\r\nOrigin: https://a.example\r\n\r\n"
        b"env_getbody heron7\r\nbody_destroy 4\r\n"
    )
    with socket.create_connection(("localhost", text_server.port), PATIENCE) as client:
        client.sendall(posted)
        with suppress(ConnectionResetError):
            assert client.recv(100) == b""
    assert "mug" in env.bodies.names


@pytest.mark.parametrize("more", [b"", b"env_getbody mug\n"])
def test_nobody_waits_for_a_client_that_has_left(text_server, env, more):
    number = 3
    client = socket.create_connection(("localhost", text_server.port), PATIENCE)
    there = " ".join(["0"] * env.robots["heron7"].active.dof)
    far = f"robot_traj {number} 2 1 0 {there} {there} 0 1000000\nwait {number}\n"
    client.sendall(far.encode() + more)
    end = time.monotonic() + PATIENCE
    while env.simulation_time == 0 and time.monotonic() < end:
        time.sleep(0.01)
    client.close()
    before = -1
    while env.simulation_time != before and time.monotonic() < end:
        before = env.simulation_time
        time.sleep(0.3)
    assert 0 < env.simulation_time == before


def test_limits_are_those_of_the_next_opening(env):
    server = env.create("module", "textserver")
    server.limits = Limits(numbers=1)
    server.open(port=0)
    client = TextClient(server)
    assert client.ask("plot 1 0 0 0 0 1 0 0") == "1"
    assert client.ask("plot 1 0 0 0 0 1 0 0") == FAILED
    client.close()
    server.close()


def test_another_scene_has_no_modules_of_before(text, env):
    class Greeter(pyrave.ModuleBase):
        contract = 1

    with env.register("module", "Greeter", Greeter):
        assert text.ask("createmodule 0 Greeter") == "1"
    assert len(list(env.modules)) == 1
    text.ask("loadscene scenes/demo.env.xml 1")
    assert not list(env.modules)


def test_odd_counts_are_words(text, env, number, caplog):
    assert text.ask("plot 1e300 1 2 3") == FAILED
    assert text.ask(f"body_checkcollision {number} 1 1e300") == FAILED
    before = env.robots["heron7"].active_dof_indices.tolist()
    text.tell(f"robot_setactivedofs {number} 1 1.7 0")
    text.tell(f"body_setjointtorques {number} 1 2 1 1")
    assert text.ask("env_getbody heron7") == number
    assert env.robots["heron7"].active_dof_indices.tolist() == before
    assert "fault of the server" not in caplog.text


def test_a_client_may_end_it_before_it_is_open(monkeypatch):
    """Clients are answered from the moment on at which it listens."""
    server = pyrave.Environment().create("module", "textserver")
    started = type(server)._started

    def ended(self, *arguments):
        found = started(self, *arguments)
        server.close()  # as a client's thread does
        return found

    monkeypatch.setattr(type(server), "_started", ended)
    opened = server.open(port=0)
    assert server.wait(0.0)
    with pytest.raises(ConnectionError):
        TextClient(SimpleNamespace(port=opened.port))

"""Each method does what the API does, and says what is wrong."""

from __future__ import annotations

import base64
import dataclasses
import json
import re

import numpy as np
import pytest
from serving import RpcFailureError

from pyrave.summary import plain, scene_summary
from pyrave_serve.methods import METHODS
from pyrave_serve.rpc.schema import document

ARM = {"robot": "heron7"}


@pytest.fixture
def robot(env):
    return env.robots["heron7"]


def test_methods_say_all_about_themselves():
    for method in METHODS.values():
        assert re.fullmatch(r"[A-Z][^.]+\.( .*)?", method.summary), method.name
        assert all(parameter.about for parameter in method.parameters), method.name
    assert json.dumps(document(METHODS))


def test_discovery(call):
    found = call("rpc.discover")
    assert found["openrpc"].startswith("1.")
    assert {one["name"] for one in found["methods"]} == METHODS.keys()
    plan = next(one for one in found["methods"] if one["name"] == "plan")
    by_name = {one["name"]: one for one in plan["params"]}
    assert by_name["robot"]["required"]
    assert by_name["timeout"]["schema"] == {"type": "number", "default": 5.0}


def test_scene(call, env):
    assert call("info") == json.loads(json.dumps(plain(scene_summary(env))))
    assert [one["name"] for one in call("bodies")] == list(env.bodies.names)
    assert call("problems") == []


def test_load_and_remove(call, env):
    loaded = call("load", file="objects/mug.kinbody.xml", rename=True)
    assert loaded == {"bodies": ["mug1"], "problems": []}
    call("remove", name="mug1")
    assert "mug1" not in env.bodies.names
    with pytest.raises(RpcFailureError, match="no body 'mug1', did you mean 'mug'"):
        call("remove", name="mug1")
    call("reset")
    assert not env.bodies


def test_scenes_as_text(call, env):
    saved = call("save_text")
    assert saved["losses"] == []
    before = scene_summary(env)["bodies"]
    call("reset")
    loaded = call("load_text", text=saved["text"])
    assert loaded["problems"] == []
    assert loaded["bodies"] == list(env.bodies.names)
    after = scene_summary(env)["bodies"]
    for one, other in zip(before, after, strict=True):
        assert one["name"] == other["name"]
        assert np.allclose(one["transform"], other["transform"])
        assert np.allclose(one["dof_values"], other["dof_values"])
    assert call("save_text", suffix=".urdf", body="heron7")["text"].startswith("<?xml")
    with pytest.raises(RpcFailureError, match=r"suffix is '/../x', expected one of"):
        call("save_text", suffix="/../x")
    with pytest.raises(RpcFailureError, match="no body 'cup'"):
        call("save_text", suffix=".urdf", body="cup")
    with pytest.raises(RpcFailureError, match="document type"):
        call("load_text", text='<!DOCTYPE x [<!ENTITY a "b">]><environment/>')
    include = "<environment><kinbody file='/etc/passwd'/></environment>"
    with pytest.raises(RpcFailureError, match="lies outside") as caught:
        call("load_text", text=include)
    assert caught.value.data["problems"][0]["line"] == 1


def test_a_robot_by_its_name(call, env):
    assert call("load", file="ur5")["bodies"] == ["ur5"]
    assert "ur5" in env.robots.names


@pytest.mark.parametrize(
    "name",
    ["/etc/passwd", "secret.kinbody.xml", "./secret.kinbody.xml",
     "~/secret.kinbody.xml", "file://{folder}/secret.kinbody.xml",
     "{folder}/secret.kinbody.xml", "{folder}/link.kinbody.xml",
     "{folder}/secret.kinbody.xml#x", "link.kinbody.xml",
     "objects/../../../../../../../../../../{folder}/secret.kinbody.xml"],
)  # fmt: skip
def test_files_elsewhere(call, env, tmp_path, monkeypatch, name):
    body = "<kinbody name='s'><body name='b'/></kinbody>"
    (tmp_path / "secret.kinbody.xml").write_text(body)
    (tmp_path / "link.kinbody.xml").symlink_to(tmp_path / "secret.kinbody.xml")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    env.load("secret.kinbody.xml")  # it can be read
    env.remove("s")
    with pytest.raises(RpcFailureError) as caught:
        call("load", file=name.format(folder=tmp_path))
    assert "s" not in env.bodies.names
    assert "<body" not in str(caught.value)


def test_files_below_a_root(env, tmp_path):
    from serving import RpcClient

    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "one.kinbody.xml").write_text(
        "<kinbody name='one'><body name='b'/></kinbody>"
    )
    (tmp_path / "out.kinbody.xml").write_text(
        "<kinbody name='out'><body name='b'/></kinbody>"
    )
    (tmp_path / "in" / "two.env.xml").write_text(
        "<environment><kinbody file='../out.kinbody.xml'/></environment>"
    )
    server = env.create("module", "jsonrpcserver")
    server.open(port=0, resource_roots=tmp_path / "in")
    client = RpcClient(server)
    try:
        assert client("load", file="one.kinbody.xml")["bodies"] == ["one"]
        with pytest.raises(
            RpcFailureError, match="lies outside the resource roots"
        ) as e:
            client("load", file=str(tmp_path / "in" / "two.env.xml"))
        assert e.value.data["problems"][0]["line"] == 1
        assert e.value.data["problems"][0]["file"].endswith("two.env.xml")
    finally:
        client.close()
        server.close()


def test_picture(call):
    png = base64.b64decode(call("picture", width=64, height=48)["png"])
    assert png.startswith(b"\x89PNG")
    with pytest.raises(RpcFailureError, match="10000 pixels are too many"):
        call("picture", width=10_000, height=10_000)
    with pytest.raises(RpcFailureError):
        call("picture", width=-1, height=-10)


def test_poses(call, env):
    pose = np.eye(4)
    pose[:3, 3] = 1.0, 2.0, 3.0
    call("set_transform", body="mug", transform=pose.tolist())
    assert np.array_equal(env.bodies["mug"].transform, pose)
    assert call("get_transform", body="mug") == pose.tolist()
    call("set_transform", body="mug", transform=[1, 0, 0, 0, 4, 5, 6])
    assert call("get_transform", body="mug", link="mug")[0][3] == 4.0
    found = {one["name"]: one for one in call("poses")["bodies"]}
    assert found["mug"]["transform"][1][3] == 5.0
    links = call("get_links", body="heron7")
    robot = env.robots["heron7"]
    assert links["links"] == list(robot.links.names)
    assert np.array_equal(links["transforms"], robot.link_transforms)


def test_joints(call, robot):
    found = call("get_joints", body="heron7")
    assert found["names"] == list(robot.dof_names)
    assert found["upper"] == robot.dof_limits[1].tolist()
    values = call("set_joints", body="heron7", values={"joint2": 0.25})
    assert values == robot.dof_values.tolist()
    assert values[1] == 0.25
    with pytest.raises(RpcFailureError, match="outside of its limits"):
        call("set_joints", body="heron7", values={"joint2": 25.0})
    assert call("set_joints", body="heron7", values={"joint2": 25.0}, clamp=True)[1] < 3
    call("set_velocities", body="heron7", values=[0.1] * 8)
    assert np.allclose(robot.dof_velocities, 0.1)


def test_enabling_and_grabbing(call, env, robot):
    call("set_enabled", body="mug", enabled=False)
    assert not env.bodies["mug"].enabled
    call("set_enabled", body="mug", enabled=True, link="mug")
    assert env.bodies["mug"].enabled
    call("grab", robot="heron7", body="mug")
    assert robot.grabbed == (env.bodies["mug"],)
    with pytest.raises(RpcFailureError, match="no body held by 'heron7' 'brick'"):
        call("release", robot="heron7", body="brick")
    call("release", robot="heron7", body="mug")
    call("grab", robot="heron7", body="brick", link="base")
    call("release", robot="heron7")
    assert robot.grabbed == ()


def test_states(call, robot):
    state = call("save_state")
    before = robot.dof_values
    call("set_joints", body="heron7", values={"joint2": 0.5})
    call("step", steps=3)
    call("restore_state", state=state)
    assert np.array_equal(robot.dof_values, before)
    assert call("get_time") == {"simulation_time": 0, "running": False}
    others = [call("save_state") for _ in range(32)]
    call("restore_state", state=others[0])
    with pytest.raises(RpcFailureError, match=f"no saved state '{state}'"):
        call("restore_state", state=state)


def test_inverse_kinematics(call, robot):
    arm = robot.manipulators["arm"]
    tool = call("get_tool", **ARM)
    assert tool["joints"] == list(robot.dof_names[:7])
    assert np.array_equal(tool["jacobian"], arm.jacobian())
    values = call("solve_ik", target=tool["transform"], **ARM)
    assert np.allclose(values, robot.dof_values[:7])
    every = call("solve_ik", target=tool["transform"], all=True, timeout=5.0, **ARM)
    assert len(every) > 1
    place = {
        "type": "Translation3D",
        "values": np.array(tool["transform"])[:3, 3].tolist(),
    }
    assert call("solve_ik", target=place, **ARM) is not None
    far = [1, 0, 0, 0, 50, 0, 0]
    assert call("solve_ik", target=far, **ARM) is None


def test_plan_and_execute(call, robot):
    goal = {"joint1": -0.5}
    plan = call("plan", values=goal, manipulator="arm", **ARM)
    assert plan["found"]
    assert plan["times"][-1] == pytest.approx(plan["duration"])
    assert len(plan["times"]) == len(plan["values"])
    assert plan["values"][-1][0] == pytest.approx(-0.5)
    done = call("execute", trajectory=plan["trajectory"])
    assert done["arrived"]
    assert done["cause"] == ""
    assert robot.dof_values[0] == pytest.approx(-0.5, abs=0.02)
    made = call("make_trajectory", waypoints=[[0.0] * 7, [0.1] * 7], **ARM)
    assert made["values"][-1] == pytest.approx([0.1] * 7)
    timed = {"waypoints": [[0.0] * 7, [0.1] * 7, [0.3] * 7], "times": [1.0, 2.0, 4.0]}
    made = call("make_trajectory", **timed, **ARM)
    assert made["duration"] == 3.0
    halfway = np.interp(1.5, made["times"], np.array(made["values"])[:, 0])
    assert halfway == pytest.approx(0.15)


def test_plans_that_cannot_be(call):
    with pytest.raises(RpcFailureError, match="2 goals are given, expected one of"):
        call("plan", values={"joint1": 0.0}, configuration="home", **ARM)
    far = [1, 0, 0, 0, 50, 0, 0]
    failed = call("plan", target=far, timeout=2.0, **ARM)
    assert not failed["found"]
    assert failed["cause"]
    with pytest.raises(
        RpcFailureError, match="waypoints have 2 values each, expected 7"
    ):
        call("make_trajectory", waypoints=[[0.0, 0.0]], **ARM)
    points = {"waypoints": [[0.0] * 7] * 2}
    for times, words in (
        ([0.0], "1 times are given for 2"),
        ([1, 0], "times decrease"),
    ):
        with pytest.raises(RpcFailureError, match=words):
            call("make_trajectory", times=times, **points, **ARM)
    with pytest.raises(RpcFailureError, match="no trajectory 'none'"):
        call("execute", trajectory="none")


def test_collisions(call, env, robot):
    for contacts in (False, True):
        found = call("check_collision", body="heron7", contacts=contacts)
        assert found["collides"] == bool(env.check_collision(robot))
    assert {"position", "normal", "depth"} == found["pairs"][0]["contacts"][0].keys()
    assert not call("check_collision", body="mug", other="brick")["collides"]
    alone = call("check_collision", body="heron7", exclude=list(env.bodies.names)[:2])
    assert not alone["collides"]
    assert not call("check_collision", body="heron7", link="link7")["collides"]
    assert not call("check_self_collision", body="heron7")["collides"]
    mug, brick = env.bodies["mug"], env.bodies["brick"]
    assert call("distance", body="mug", other="brick") == env.distance(mug, brick)


def test_rays(call, env):
    found = call("raycast", origins=[0, 0, 5], directions=[[0, 0, -1], [1, 0, 0]])
    hits = env.raycast([0, 0, 5], [[0, 0, -1], [1, 0, 0]])
    assert found["hit"] == hits.hit.tolist()
    assert found["distances"] == [hits.distance[0], None]
    assert found["positions"] == [hits.position[0].tolist(), None]
    assert found["bodies"] == ["heron7", None]
    one = call("raycast", origins=[0, 0, 5], directions=[0, 0, -1], bodies=["room"])
    assert one["bodies"] == ["room"]
    past = call("raycast", origins=[0, 0, 5], directions=[0, 0, -1], exclude=["heron7"])
    assert past["bodies"] == ["table"]


def test_time(call, env):
    assert call("step", dt=0.005, steps=4) == 0.02
    call("start", dt=0.001, realtime=False)
    assert call("get_time")["running"]
    call("stop")
    assert not env.running
    with pytest.raises(RpcFailureError, match="steps is 0, expected 1 to"):
        call("step", steps=0)


def test_sensors(call, env):
    call("step", steps=20)
    assert [one["name"] for one in call("sensors")] == list(env.sensors.names)
    data = env.sensors["heron7:laser"].read()
    found = call("read_sensor", sensor="heron7:laser", fields=["ranges", "stamp"])
    assert found.keys() == {"type", "ranges", "stamp"}
    assert found["type"] == "laser"
    assert np.array_equal(np.array(found["ranges"], float), data.ranges, equal_nan=True)
    now = call("read_sensor", sensor="heron7:laser", measure=True)
    assert len(now["distances"]) == len(data.distances)
    with pytest.raises(
        RpcFailureError, match="no field 'range', did you mean 'ranges'"
    ):
        call("read_sensor", sensor="heron7:laser", fields=["range"])
    call("power_sensor", sensor="heron7:laser", power=False)
    assert not env.sensors["heron7:laser"].power


def test_commands(call, robot):
    names = [one["name"] for one in call("commands", to="controller:heron7")]
    assert names == list(robot.controller.commands)
    assert call("send_command", to="controller:heron7", command="Pause 1") == ""
    paused = {"paused": False}
    answer = call(
        "call_command", to="controller:heron7", command="pause", arguments=paused
    )
    assert answer == {"result": True}
    for address in ("iksolver:heron7/arm", "iksolver:heron7", "sensor:heron7:laser",
                    "physicsengine", "collisionchecker", "body:mug"):  # fmt: skip
        assert isinstance(call("commands", to=address), list)
    with pytest.raises(RpcFailureError, match="names nothing, expected module:NAME"):
        call("commands", to="os:system")
    with pytest.raises(RpcFailureError, match="no command 'exec'"):
        call("send_command", to="controller:heron7", command="exec")


def test_engines(call, env):
    call("use_engine", kind="collisionchecker", engine="GenericCollisionChecker")
    assert env.collision_checker.interface_id == "GenericCollisionChecker"
    with pytest.raises(RpcFailureError, match="expected one of physicsengine, coll"):
        call("use_engine", kind="viewer", engine="viser")


def test_modules(call, env):
    from pyrave import ModuleBase, command

    class Greeter(ModuleBase):
        contract = 1

        @command
        def greet(self, name: str) -> str:
            """Greet somebody."""
            return f"hello {name} {self.main_args}"

    with env.register("module", "Greeter", Greeter):
        name = call("add_module", module="Greeter", args="there")
    assert (
        call("send_command", to=f"module:{name}", command="greet you")
        == "hello you there"
    )
    for one in ("jsonrpcserver", "textserver"):
        with pytest.raises(
            RpcFailureError, match="a server, which clients cannot start"
        ):
            call("add_module", module=one)
    assert list(env.modules.names) == [name]


WRONG = [
    ("nonsense", {}, -32601, "no method 'nonsense'"),
    ("get_joint", {"body": "mug"}, -32601, "did you mean 'get_joints'"),
    ("__class__", {}, -32601, "no method '__class__'"),
    ("get_joints", {}, -32602, "body not given, expected get_joints(body)"),
    ("get_joints", {"bdy": "mug"}, -32602, "no parameter 'bdy', did you mean 'body'?"),
    ("get_joints", {"body": 1}, -32602, "body is 1, expected a text"),
    ("get_joints", {"body": None}, -32602, "body is None, expected a text"),
    ("get_joints", {"body": "cup"}, -32000, "no body 'cup'"),
    ("set_transform", {"body": "mug", "transform": 5}, -32602, "transform"),
    ("set_transform", {"body": "mug", "transform": [[0] * 4] * 4}, -32602, "transform"),
    ("set_transform", {"body": "mug", "transform": "x"}, -32602, "transform"),
    ("set_transform", {"body": "mug", "transform": [0] * 7}, -32602, "transform"),
    ("set_transform", {"body": "mug", "transform": [[1], [1, 2]]}, -32602, "transform"),
    ("set_joints", {"body": "heron7", "values": [1, 2]}, -32000, "length 8"),
    ("set_joints", {"body": "heron7", "values": {"x": 1}}, -32000, "'x'"),
    ("set_joints", {"body": "heron7", "values": {"joint1": "1"}}, -32602, "joint1"),
    ("set_joints", {"body": "heron7", "values": [1], "clamp": 1}, -32602, "clamp is 1"),
    ("get_transform", {"body": "mug", "link": "x"}, -32000, "'x'"),
    ("solve_ik", {"robot": "mug", "target": [1, 0, 0, 0, 0, 0, 0]}, -32000, "'mug'"),
    ("solve_ik", {"robot": "heron7", "target": {"type": "x"}}, -32602, "a goal"),
    ("solve_ik", {"robot": "heron7", "target": {"type": "x", "values": []}}, -32602,
     "x"),
    ("solve_ik", {"robot": "heron7", "target": [1, 0, 0, 0, 0, 0, 0], "timeout": -1},
     -32000, "timeout is -1"),
    ("step", {"dt": "fast"}, -32602, "dt is 'fast', expected a number"),
    ("step", {"dt": True}, -32602, "dt is True, expected a number"),
    ("step", {"dt": -1}, -32000, "expected a positive number of seconds"),
    ("step", {"steps": 1.5}, -32602, "steps is 1.5, expected a whole number"),
    ("step", {"steps": 1e300}, -32602, "steps is 1e+300, expected a whole number"),
    ("step", {"steps": 10**400}, -32602, "steps"),
    ("raycast", {"origins": [0, 0], "directions": [0, 0, 1]}, -32602, "origins"),
    ("raycast", {"origins": [0, 0, 0], "directions": [0, 0, 0]}, -32000, "direction"),
    ("raycast", {"origins": [0, 0, 0], "directions": {"x": 1}}, -32602, "directions"),
    ("check_collision", {"body": "mug", "exclude": "table"}, -32602, "a list of texts"),
    ("check_collision", {"body": "mug", "exclude": [1]}, -32602, "exclude[0] is 1"),
    ("call_command", {"to": "physicsengine", "command": "x", "arguments": []},
     -32602, "arguments is [], expected an object"),
    ("load", {"file": ""}, -32000, ""),
    ("load", {"file": "x" * 5000}, -32000, "too long for the name of a file"),
    ("raycast", {"origins": [0, 0, 0], "directions": [[1, None], "x"]}, -32602,
     "directions is not an array of numbers"),
    ("load", {"file": "\x00"}, -32000, ""),
    ("subscribe", {}, -32000, "poses are sent over a WebSocket"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("method", "params", "code", "words"), WRONG, ids=range(len(WRONG))
)
def test_what_is_wrong(call, method, params, code, words):
    with pytest.raises(RpcFailureError) as caught:
        call(method, **params)
    assert caught.value.code == code
    assert words in str(caught.value)
    if code != -32601:
        assert caught.value.data["type"].endswith("Error")


def test_params_in_order_and_too_many(call):
    asked = {"jsonrpc": "2.0", "id": 7, "method": "get_joints"}
    assert call.send(asked | {"params": ["heron7"]})["id"] == 7
    error = call.send(asked | {"params": ["heron7", 1]})["error"]
    assert error["message"] == "2 params are too many, expected get_joints(body)"


def test_calls_in_a_list_and_calls_without_answer(call, env):
    step = {"jsonrpc": "2.0", "method": "step"}
    answers = call.send([step, step | {"id": "a"}, {"id": 1}])
    assert [one["id"] for one in answers] == ["a", 1]
    assert answers[0]["result"] == env.simulation_time == 0.02
    assert call.send(step) is None
    assert env.simulation_time == 0.03


def test_faults_are_not_told_but_logged(call, env, caplog):
    from pyrave import ModuleBase, command

    class Broken(ModuleBase):
        contract = 1

        @command
        def fail(self) -> str:
            """Fail."""
            raise KeyError("a secret")

        @command
        def leave(self) -> str:
            """End the process."""
            raise SystemExit(3)

    with env.register("module", "Broken", Broken):
        call("add_module", module="Broken")
    for name in ("fail", "leave"):
        with pytest.raises(RpcFailureError, match="by a fault of the server or") as e:
            call("send_command", to="module:Broken", command=name)
        assert e.value.code == -32603
    assert "a secret" not in str(e.value)
    assert "KeyError: 'a secret'" in caplog.text
    assert call("get_time")


def test_faults_of_methods_are_logged_too(call, caplog, monkeypatch):
    def fail(desk):
        raise KeyError("a secret")

    broken = dataclasses.replace(METHODS["get_time"], function=fail)
    monkeypatch.setitem(METHODS, "get_time", broken)
    with pytest.raises(RpcFailureError, match="get_time failed by a fault of the"):
        call("get_time")
    assert "KeyError: 'a secret'" in caplog.text

"""Files that clients may read and write, and what errors say of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from serving import RpcClient, RpcFailureError

import pyrave
from pyrave_serve.rpc.redaction import without_folders


@pytest.fixture
def writing(env, tmp_path):
    """A server whose clients may write below a folder."""
    folder = tmp_path / "out"
    folder.mkdir()
    server = env.create("module", "jsonrpcserver")
    server.open(port=0, write_roots=folder)
    client = RpcClient(server)
    yield client, folder
    client.close()
    server.close()


def add_camera(env):
    robot = env.robots[0]
    robot.add_sensor("eye", "BaseCamera", link=robot.links[0].name)
    return f"sensor:{env.robots[0].name}:eye"


def test_clients_write_nowhere_by_themselves(env, call, tmp_path):
    camera = add_camera(env)
    with pytest.raises(RpcFailureError, match=r"write no files.*--write DIR"):
        call("send_command", to=camera, command=f"SaveImage {tmp_path}/x.png")
    with pytest.raises(RpcFailureError, match="write no files"):
        call(
            "call_command", to=camera, command="SaveImage", arguments={"filename": "x"}
        )
    assert list(tmp_path.iterdir()) == []


def test_commands_write_below_the_folders_that_are_given(env, writing, tmp_path):
    client, folder = writing
    camera = add_camera(env)
    client("send_command", to=camera, command="SaveImage view.png")
    client("send_command", to=camera, command=f"SaveImage {folder}/other.png")
    assert sorted(path.name for path in folder.iterdir()) == ["other.png", "view.png"]
    (folder / "link").symlink_to(tmp_path)
    for name in ("../x.png", f"{tmp_path}/x.png", "link/x.png"):
        with pytest.raises(RpcFailureError, match="below the folders of its --write"):
            client("send_command", to=camera, command=f"SaveImage {name}")
    assert {path.name for path in tmp_path.iterdir()} == {"out"}


def test_files_that_commands_read_are_those_that_clients_may_load(env, call, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    module = env.create("module", "textserver")
    read = []

    def show(file: str) -> str:
        read.append(file)
        return file

    module.register_command("show", show, reads=("file",))
    module.name = "reader"
    env.add(module, args="")
    for name in (str(secret), "~root/.profile", "../../../../etc/passwd"):
        with pytest.raises(RpcFailureError):
            call("send_command", to="module:reader", command=f"show {name}")
    assert read == []
    call("send_command", to="module:reader", command="show scenes/demo.env.xml")
    assert read[0].endswith("demo.env.xml")
    # who calls it in Python is free
    module.send_command(f"show {secret}")
    assert read[-1] == str(secret)


def test_errors_name_no_folders_of_the_server(call, tmp_path):
    scene = tmp_path / "bad.env.xml"
    scene.write_text("<environment><robot name=''/></environment>")
    for name in (str(scene), "~root/x.env.xml", "~nobody-here/x.env.xml"):
        with pytest.raises(RpcFailureError) as caught:
            call("load", file=name)
        said = json.dumps([str(caught.value), caught.value.data])
        assert Path(name).name in said
        assert str(tmp_path) not in said
        assert str(Path.home()) not in said
        assert str(Path(pyrave.__file__).parents[1]) not in said


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("'/home/my user/x.xml' is not there", "'x.xml' is not there"),
        ("/etc/passwd: no such file", "passwd: no such file"),
        ("~user/x/y.xml", "y.xml"),
        ("'C:\\Users\\me\\a.xml'", "'a.xml'"),
        ("3 m/s and 1/2 or and/or", "3 m/s and 1/2 or and/or"),
        ("package://foo/bar.stl", "package://foo/bar.stl"),
        ("in environment/kinbody[1]/body", "in environment/kinbody[1]/body"),
    ],
)
def test_folders_are_left_out(text, told):
    assert without_folders(text) == told

"""Faults that befall servers and what clients have them do."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fault_kinds as kinds
from fault_kinds import Verdict

import pyrave

_SCENE = "robots/planar3r.robot.xml"
_CAMERA = "sensor:planar3r:eye"
_PATIENCE = 20.0
_TIMES = 200
_DISK = 8 << 20


@dataclass
class Server:
    """A server in a process of its own."""

    pid: int
    port: int

    def call(self, method: str, **params: Any) -> Any:
        """Return what it answers to a call: the result, or the error as text."""
        call = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        connection = http.client.HTTPConnection(
            "localhost", self.port, timeout=_PATIENCE
        )
        with contextlib.closing(connection):
            header = {"Content-Type": "application/json"}
            connection.request("POST", "/", json.dumps(call), header)
            answer = json.loads(connection.getresponse().read())
        return answer.get("result", answer.get("error", {}).get("message"))

    def save_image(self, name: str) -> Any:
        return self.call("send_command", to=_CAMERA, command=f"SaveImage {name}")

    def end(self, number: int = signal.SIGKILL) -> None:
        os.kill(self.pid, number)
        os.waitpid(self.pid, 0)


@contextlib.contextmanager
def serving(
    folder: Path, port: int = 0, fault: Callable[[], None] = lambda: None
) -> Iterator[Server]:
    """Start a server whose clients may write below a folder; kill it at the end."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        _serve(folder, port, fault, writer)
    os.close(writer)
    said = os.read(reader, 100)
    os.close(reader)
    server = Server(child, int(said or 0))
    try:
        yield server
    finally:
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            server.end()


def _serve(folder: Path, port: int, fault: Callable[[], None], writer: int) -> None:
    try:
        env = pyrave.load(_SCENE)
        robot = env.robots[0]
        robot.add_sensor("eye", "BaseCamera", link=robot.links[0].name)
        server: Any = env.create("module", "jsonrpcserver")
        server.open(port=port, write_roots=folder)
        fault()
        os.write(writer, str(server.port).encode())
        os.close(writer)
        signal.pause()
    finally:
        os._exit(1)


def faults_of_servers(root: Path) -> Iterator[Verdict]:
    """Yield what each fault does to a server, its clients and the files of both."""
    folder = root / "served"
    folder.mkdir()
    image = folder / "view.png"
    with serving(folder) as server:
        server.save_image("view.png")
        good = image.read_bytes()
        server.call("set_joints", body="planar3r", values={"joint1": 0.5})
        size = len(good)

        def judge(fault: str, work: str, said: object, word: str) -> Verdict:
            found = Verdict("serve", fault, work)
            if word not in str(said):
                found.untold.append(f"the client got {said!r} without {word!r}")
            if str(root) in str(said):
                found.untold.append(f"the client got a folder: {said!r}")
            if image.exists() and image.read_bytes()[:8] != good[:8]:
                found.lost.append("the image is damaged")
            return found

        def next_call(found: Verdict) -> Verdict:
            begin = time.monotonic()
            said = server.save_image("view.png")
            if said not in {None, ""} or not image.read_bytes().startswith(good[:8]):
                found.stopped.append(f"the next call is answered with {said!r}")
            if time.monotonic() - begin > 1.0:
                found.stopped.append("the next call takes more than a second")
            return found

        for name, word in (("../view.png", "--write"), ("/etc/view.png", "--write")):
            said = server.save_image(name)
            yield next_call(judge("outside", "an image", said, word))
        folder.rename(f"{folder}.gone")
        said = server.save_image("view.png")
        Path(f"{folder}.gone").rename(folder)
        yield next_call(judge("vanished", "an image", said, "view.png"))
        cut = root / "cut.env.xml"
        cut.write_text("<environment><kinbody name='x'>")
        said = server.call("load", file=str(cut))
        yield next_call(judge("cut", "a scene", said, "resource roots"))
        yield next_call(_clients_that_break_off(server, judge))
    for part in (1, size // 2):
        yield from _that_fails(folder, good, part)
    yield from _killed(folder, good)
    yield from _full(folder, good)
    yield _two_servers(folder)
    if os.geteuid() == 0:
        yield _foreign(folder, good)


def _clients_that_break_off(
    server: Server, judge: Callable[[str, str, object, str], Verdict]
) -> Verdict:
    """Have clients leave in the middle of a message, and before its answer."""
    body = json.dumps(
        {"jsonrpc": "2.0", "id": 1, "method": "bodies", "params": {}}
    ).encode()
    head = (
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: %d\r\n\r\n" % len(body)
    )
    message = head + body
    for turn in range(_TIMES):
        with socket.create_connection(("localhost", server.port)) as client:
            client.sendall(message[: 1 + turn * len(message) // _TIMES])
    return judge("cut", "a message", server.call("get_time"), "simulation_time")


def _killed(folder: Path, good: bytes) -> Iterator[Verdict]:
    """Kill a server while it writes, and start another one in its place."""
    image = folder / "view.png"
    for moment in ("fsync", "rename"):
        image.write_bytes(good)

        def fault(moment: str = moment) -> None:
            if moment == "fsync":
                os.fsync = lambda _: kinds.kill()
            else:
                Path.replace = lambda *_: kinds.kill()  # type: ignore[assignment]

        found = Verdict("serve", "killed", f"an image, before {moment}")
        with serving(folder, fault=fault) as server:
            begin = time.monotonic()
            try:
                server.save_image("view.png")
                found.untold.append("the client got an answer")
            except (OSError, http.client.HTTPException):
                if time.monotonic() - begin > 2.0:
                    found.untold.append("the client waited for more than two seconds")
            os.waitpid(server.pid, 0)
            port = server.port
        if image.read_bytes() != good:
            found.lost.append("the image is damaged")
        with serving(folder, port) as other:
            if other.port != port or other.save_image("view.png") not in {None, ""}:
                found.stopped.append(f"there is no server on port {port} again")
        yield found


def _that_fails(folder: Path, good: bytes, part: int) -> Iterator[Verdict]:
    """Have files not grow beyond a size."""
    image = folder / "view.png"
    image.write_bytes(good)
    found = Verdict("serve", "full", f"an image, after {part} bytes")
    with serving(folder, fault=kinds.limited(part, deadly=False)) as server:
        said = server.save_image("view.png")
        if "cannot be written" not in str(said) or str(folder) in str(said):
            found.untold.append(f"the client got {said!r}")
        if image.read_bytes() != good:
            found.lost.append("the image is damaged")
        if "simulation_time" not in str(server.call("get_time")):
            found.stopped.append("the next call gets no answer")
        found.left += [p.name for p in folder.glob(".*.part*")]
    yield found


def _full(folder: Path, good: bytes) -> Iterator[Verdict]:
    """Fill the disk of a server, and empty it again."""
    image = folder / "view.png"
    for left in (0, len(good) // 2):
        with kinds.small_disk(folder, _DISK) as mounted:
            if not mounted:
                return
            image.write_bytes(good)
            found = Verdict("serve", "full", f"an image, {left} bytes are left")
            with serving(folder) as server:
                filler = kinds.fill_disk(folder, left)
                said = server.save_image("view.png")
                if said not in {None, ""} and "cannot be written" not in str(said):
                    found.untold.append(f"the client got {said!r}")
                if image.read_bytes()[:8] != good[:8]:
                    found.lost.append("the image is damaged")
                filler.unlink()
                if server.save_image("view.png") not in {None, ""}:
                    found.stopped.append("the next image is not written")
        yield found


def _two_servers(folder: Path) -> Verdict:
    """Start a server on a port that has one."""
    found = Verdict("serve", "two", "one port")
    with serving(folder) as server:
        env = pyrave.Environment()
        other: Any = env.create("module", "jsonrpcserver")
        try:
            other.open(port=server.port)
            found.untold.append("two servers have one port")
            other.close()
        except pyrave.Error as error:
            if str(server.port) not in str(error):
                found.untold.append(f"it says {error}")
        if "simulation_time" not in str(server.call("get_time")):
            found.stopped.append("the first server gives no answer")
    return found


def _foreign(folder: Path, good: bytes) -> Verdict:
    """Have a server write to a folder of somebody else."""
    found = Verdict("serve", "foreign", "an image")
    image = folder / "view.png"
    image.write_bytes(good)
    kinds.give_away(folder, image)
    with serving(folder, fault=kinds.as_nobody) as server:
        said = server.save_image("view.png")
        if "cannot be written" not in str(said) or str(folder) in str(said):
            found.untold.append(f"the client got {said!r}")
        if image.read_bytes() != good:
            found.lost.append("the image is another one")
        if "simulation_time" not in str(server.call("get_time")):
            found.stopped.append("the next call gets no answer")
    os.chown(folder, 0, 0)
    return found

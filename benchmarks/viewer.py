"""What the viewer costs: updates, clients that come and go, a crowd, a first picture.

Prints JSON. The share of a core is processor time of the whole process over the time
that passes while a script moves things at the given rate: the viewer's thread, its
server, and the client, which takes all that the server sends.

A first picture is timed from the start of ``pyrave view`` in a process of its own, in a
Chromium that runs already: until the address is told, until the page has handed a frame
with meshes to the graphics card, and until that is seen. Without a graphics card the
last one takes seconds, which are the browser's.

    python benchmarks/viewer.py --seconds 3 --connects 200
    python benchmarks/viewer.py --only first --file pr2-beta-static.zae
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import shutil
import subprocess
import sys
import threading
import time
import tracemalloc
from pathlib import Path

import numpy as np

import pyrave
from pyrave.scene import body_from_boxes
from pyrave.spatial import pose_from_rpy

_LINKS = 82
# what a page says first
_CAMERA = {
    "type": "ViewerCameraMessage", "wxyz": [1, 0, 0, 0], "position": [1, 2, 3],
    "fov": 0.8, "near": 0.01, "far": 1000, "image_height": 100, "image_width": 200,
    "look_at": [0, 0, 0], "up_direction": [0, 0, 1],
}  # fmt: skip


def chain(n_links):
    """A robot of n links in a row, as a text of OpenRAVE XML."""
    links = "".join(
        f'<Body name="l{k}"><Translation>0 0 {0.05 * k}</Translation>'
        '<Geom type="box"><Extents>0.02 0.02 0.025</Extents></Geom></Body>'
        for k in range(n_links)
    )
    joints = "".join(
        f'<Joint name="j{k}" type="hinge"><Body>l{k - 1}</Body><Body>l{k}</Body>'
        f"<OffsetFrom>l{k}</OffsetFrom><Axis>{k % 2} {1 - k % 2} 0</Axis></Joint>"
        for k in range(1, n_links)
    )
    return f'<Robot name="chain"><KinBody>{links}{joints}</KinBody></Robot>'


def connect_to(url, **more):
    """Connect as a page does."""
    import viser
    from websockets.asyncio.client import connect

    protocols = [f"viser-v{viser.__version__}"]
    return connect(url, subprotocols=protocols, max_size=None, **more)


async def take(address, stop, taken):
    """Be a browser that takes all messages until told to stop."""
    import msgspec

    async with connect_to(address.replace("http", "ws")) as socket:
        await socket.send(msgspec.msgpack.encode(_CAMERA))
        while not stop.is_set():
            try:
                message = await asyncio.wait_for(socket.recv(), 0.1)
            except TimeoutError:
                continue
            taken[0] += len(message)
            taken[1] += 1


def with_client(viewer, warm_up, work):
    """Do some work while a client is there; return bytes and messages that it took."""
    stop, taken = threading.Event(), [0, 0]
    client = threading.Thread(
        target=lambda: asyncio.run(take(viewer.address, stop, taken))
    )
    client.start()
    while not taken[0]:
        time.sleep(0.01)
    warm_up()
    before = tuple(taken)
    result = work()
    after = tuple(taken)
    stop.set()
    client.join()
    return result, [last - first for last, first in zip(after, before, strict=True)]


def share_of_a_core(viewer, move, rate, seconds):
    """Return the share of a core, and how many updates a second there were."""

    def warm_up():
        # kernels are loaded meanwhile
        for k in range(int(3 * rate)):
            move(k)
            time.sleep(1 / rate)

    def work():
        moving = 0.0
        begin, used = time.perf_counter(), time.process_time()
        for k in range(int(rate * seconds)):
            start = time.thread_time()
            move(k)
            moving += time.thread_time() - start
            wait = begin + (k + 1) / rate - time.perf_counter()
            if wait > 0:
                time.sleep(wait)
        passed = time.perf_counter() - begin
        return (time.process_time() - used - moving) / passed, passed

    (share, passed), (size, count) = with_client(viewer, warm_up, work)
    return {
        "share_of_a_core": round(share, 4),
        "updates_per_second": round(count / passed, 1),
        "bytes_per_second": round(size / passed),
    }


def robot(seconds):
    """An 82-link robot all of whose joints move, 60 times a second."""
    env = pyrave.Environment()
    env.load_string(chain(_LINKS))
    viewer = env.show(browser=False)
    body = env.robots[0]
    rng = np.random.default_rng(0)
    rows = rng.uniform(-0.3, 0.3, (64, body.dof))
    result = share_of_a_core(
        viewer, lambda k: setattr(body, "dof_values", rows[k % 64]), 60.0, seconds
    )
    viewer.close()
    return {"links": len(body.links), "dof": body.dof, **result}


def bodies(seconds, count=1000):
    """A thousand bodies that all move, 20 times a second."""
    env = pyrave.Environment()
    for k in range(count):
        env.create_body(body_from_boxes(f"b{k}", [(0, 0, 0, 0.02, 0.02, 0.02)]))
    begin = time.perf_counter()
    viewer = env.show(browser=False)
    opened = time.perf_counter() - begin
    poses = [pose_from_rpy((0, 0, 0.1 * k), (0.1 * k, 0, 0)) for k in range(16)]
    listed = list(env.bodies)

    def move(k):
        for number, body in enumerate(listed):
            body.transform = poses[(k + number) % 16]

    result = share_of_a_core(viewer, move, 20.0, seconds)
    viewer.close()
    return {"bodies": count, "seconds_to_open": round(opened, 3), **result}


def connects(count):
    """Clients that come and go; what stays in memory, of threads and of files."""
    import msgspec

    env = pyrave.load("scenes/minimal.env.xml")
    viewer = env.show(browser=False)
    url = viewer.address.replace("http", "ws")

    async def visit(times):
        for _ in range(times):
            async with connect_to(url) as socket:
                await socket.send(msgspec.msgpack.encode(_CAMERA))
                await socket.recv()

    def settled():
        time.sleep(1.0)
        gc.collect()

    asyncio.run(visit(20))
    settled()
    tracemalloc.start()
    asyncio.run(visit(20))
    settled()
    threads, before = threading.active_count(), tracemalloc.get_traced_memory()[0]
    files = open_files()
    begin = time.perf_counter()
    asyncio.run(visit(count))
    passed = time.perf_counter() - begin
    settled()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    result = {
        "connects": count,
        "seconds": round(passed, 2),
        "bytes_each": round(grown / count),
        "more_threads": threading.active_count() - threads,
        "more_files": open_files() - files,
    }
    viewer.close()
    return result


def crowd(seconds, count=10):
    """Ten browsers at an 82-link robot that moves, and one that takes nothing."""
    env = pyrave.Environment()
    env.load_string(chain(_LINKS))
    viewer = env.show(browser=False)
    body = env.robots[0]
    rows = np.random.default_rng(0).uniform(-0.3, 0.3, (64, body.dof))
    stop = threading.Event()
    taken = [[0, 0] for _ in range(count)]

    async def all_of_them():
        url = viewer.address.replace("http", "ws")
        # its queue is full soon, and the sockets' buffers
        async with connect_to(url, max_queue=1):
            await asyncio.gather(*(take(viewer.address, stop, one) for one in taken))

    clients = threading.Thread(target=lambda: asyncio.run(all_of_them()))
    clients.start()
    while not all(one[0] for one in taken):
        time.sleep(0.05)
    time.sleep(1.0)
    threads, handles = threading.active_count(), open_files()
    before = [one[1] for one in taken]
    begin, used = time.perf_counter(), time.process_time()
    for k in range(int(60 * seconds)):
        body.dof_values = rows[k % 64]
        time.sleep(max(0.0, begin + (k + 1) / 60 - time.perf_counter()))
    passed = time.perf_counter() - begin
    share = (time.process_time() - used) / passed
    rates = [
        (one[1] - first) / passed for one, first in zip(taken, before, strict=True)
    ]
    grown = threading.active_count() - threads, open_files() - handles
    stop.set()
    clients.join()
    viewer.close()
    return {
        "browsers": count,
        "share_of_a_core": round(share, 4),
        "updates_per_second": [round(min(rates), 1), round(max(rates), 1)],
        "more_threads": grown[0],
        "more_files": grown[1],
    }


def open_files():
    return len(list(Path("/proc/self/fd").glob("*")))


# counts the corners that a page draws in each frame
_COUNT = """
(() => {
  let drawn = 0;
  window.firstPicture = null;
  const kind = WebGL2RenderingContext.prototype;
  for (const name of ["drawElements", "drawElementsInstanced"]) {
    const draw = kind[name];
    kind[name] = function (...given) {
      drawn += given[1];
      return draw.apply(this, given);
    };
  }
  const frame = () => {
    if (drawn > LEAST && window.firstPicture === null) window.firstPicture = Date.now();
    drawn = 0;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})()
"""
_CHROMIUM = (
    "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
)  # fmt: skip


def first_pictures(file, times=3, port=8123):
    """The time from the start of the command to a picture, in Chromium."""
    from playwright.sync_api import sync_playwright

    found = next(filter(None, map(shutil.which, ("chromium", "google-chrome"))), None)
    if found is None:
        return "no Chromium"
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=[*_CHROMIUM])
        results = [first_picture(browser, file, port) for _ in range(times)]
        browser.close()
    return results


def first_picture(browser, file, port):
    page = browser.new_page(viewport={"width": 640, "height": 420})
    page.add_init_script(_COUNT.replace("LEAST", "1000"))
    begin = time.time()
    command = [sys.executable, "-m", "pyrave", "view", file, "--no-browser"]
    with subprocess.Popen(
        [*command, "--port", str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            next(line for line in process.stdout if "http" in line)
            told = time.time() - begin
            page.goto(f"http://localhost:{port}", wait_until="commit")
            page.wait_for_function("window.firstPicture !== null", timeout=60_000)
            drawn = page.evaluate("window.firstPicture") / 1000 - begin
            page.screenshot(timeout=60_000)
            seen = time.time() - begin
        finally:
            page.close()
            process.terminate()
    return {name: round(value, 2) for name, value in
            (("told", told), ("drawn", drawn), ("seen", seen))}  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--connects", type=int, default=200)
    parser.add_argument("--file", default="scenes/demo.env.xml")
    parser.add_argument("--only", nargs="*", default=[])
    given = parser.parse_args()
    rows = {
        "robot": lambda: robot(given.seconds),
        "bodies": lambda: bodies(given.seconds),
        "connects": lambda: connects(given.connects),
        "crowd": lambda: crowd(given.seconds),
        "first": lambda: first_pictures(given.file),
    }
    chosen = given.only or rows
    print(json.dumps({name: rows[name]() for name in chosen}, indent=2))


if __name__ == "__main__":
    main()

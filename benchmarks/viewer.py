"""What the viewer costs: updates of a robot, of many bodies, clients that come and go.

Prints JSON. The share of a core is processor time of the whole process over the time
that passes in updates at the given rate: the viewer's thread, its server, and the
client, which takes all that the server sends.

    python benchmarks/viewer.py --seconds 3 --connects 200
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import threading
import time
import tracemalloc

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


async def take(address, stop, taken):
    """Be a browser that takes all messages until told to stop."""
    import msgspec
    import viser
    from websockets.asyncio.client import connect

    protocol = f"viser-v{viser.__version__}"
    url = address.replace("http", "ws")
    async with connect(url, subprotocols=[protocol], max_size=None) as socket:
        await socket.send(msgspec.msgpack.encode(_CAMERA))
        while not stop.is_set():
            try:
                message = await asyncio.wait_for(socket.recv(), 0.1)
            except TimeoutError:
                continue
            taken[0] += len(message)
            taken[1] += 1


def with_client(viewer, work):
    """Do some work while a client is there; return bytes and messages that it took."""
    stop, taken = threading.Event(), [0, 0]
    client = threading.Thread(
        target=lambda: asyncio.run(take(viewer.address, stop, taken))
    )
    client.start()
    while not taken[0]:
        time.sleep(0.01)
    time.sleep(0.5)
    before = tuple(taken)
    result = work()
    after = tuple(taken)
    stop.set()
    client.join()
    return result, [last - first for last, first in zip(after, before, strict=True)]


def share_of_a_core(viewer, move, rate, seconds):
    """Return the share of a core, and how many updates a second there were."""

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

    (share, passed), (size, count) = with_client(viewer, work)
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
    """Clients that come and go; what stays in memory and of threads."""
    import viser
    from websockets.asyncio.client import connect

    env = pyrave.load("scenes/minimal.env.xml")
    viewer = env.show(browser=False)
    url = viewer.address.replace("http", "ws")
    protocol = f"viser-v{viser.__version__}"

    async def visit(times):
        for _ in range(times):
            async with connect(url, subprotocols=[protocol], max_size=None) as socket:
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
    }
    viewer.close()
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--connects", type=int, default=200)
    given = parser.parse_args()
    print(
        json.dumps(
            {
                "robot": robot(given.seconds),
                "bodies": bodies(given.seconds),
                "connects": connects(given.connects),
            },
            indent=2,
        )
    )


if __name__ == "__main__":
    main()

"""Open3D's part of `rays.py`, in a process of its own: it answers line by line.

It is run by an interpreter that has Open3D and reads from standard input: ``load FILE``
(an npz with vertices, faces and rays), ``build`` and ``cast NAME REPEAT``; it answers
with the CPU seconds that this took.
"""

from __future__ import annotations

import sys
import time

import numpy as np
import open3d
from open3d.core import Tensor

PARTS = {}


def scene():
    made = open3d.t.geometry.RaycastingScene(nthreads=1)
    made.add_triangles(Tensor(PARTS["vertices"]), Tensor(PARTS["faces"]))
    # the tree is built by the first cast
    made.cast_rays(Tensor(np.array([[0, 0, 5, 0, 0, -1]], np.float32)), nthreads=1)
    return made


def answer(words, state):
    if words[0] == "load":
        PARTS.update(np.load(words[1]))
        state["scene"] = scene()
        return 0.0
    begin = time.process_time()
    if words[0] == "build":
        scene()
    else:
        rays = Tensor(PARTS[words[1]])
        for _ in range(int(words[2])):
            found = state["scene"].cast_rays(rays, nthreads=1)
            found["t_hit"].numpy(), found["geometry_ids"].numpy()
    return time.process_time() - begin


def main():
    state = {}
    print(open3d.__version__, flush=True)
    for line in sys.stdin:
        print(answer(line.split(), state), flush=True)


if __name__ == "__main__":
    main()

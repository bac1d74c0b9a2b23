"""Kernels that are run in whole arrays until they are compiled, against their loops."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from fresh_kernels import fresh

from pyrave.geometry import (
    Camera,
    Lens,
    RayInstance,
    RayScene,
    mesh_bvh,
    ray_caster,
    render,
)
from pyrave.geometry.kernels import box_moves, shading
from pyrave.geometry.mesh_bvh import BoxTree
from pyrave.jit import Kernel
from pyrave.jit import kernel as jit_kernel
from pyrave.scene import Sphere
from pyrave.world.kernels import placement
from pyrave_sensors.kernels import returns

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType


def pose(rng: np.random.Generator) -> np.ndarray:
    found = np.eye(4)
    found[:3, :3] = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    found[:3, 3] = rng.normal(size=3)
    return found


def aim(rng: np.random.Generator) -> tuple[Any, ...]:
    local = rng.normal(size=(4, 6, 3))
    local[1, 2:4, 2] = np.nan
    return local, pose(rng), np.empty(local.shape)


def average(rng: np.random.Generator) -> tuple[Any, ...]:
    # float64, in which compiled loops add up float32, too
    light = rng.uniform(0, 2, (6, 12, 3))
    return light, 3, np.empty((2, 4, 3), np.float32)


def to_bytes(rng: np.random.Generator) -> tuple[Any, ...]:
    light = rng.uniform(-1, 3, 100).astype(np.float32)
    return light, 0.7, np.empty(100, np.uint8)


def boxes(rng: np.random.Generator, n: int) -> np.ndarray:
    low = rng.normal(size=(n, 3))
    return np.hstack([low, low + rng.uniform(0, 1, (n, 3))])


def store_boxes(rng: np.random.Generator) -> tuple[Any, ...]:
    bounds = boxes(rng, 9)
    bounds[4, 5], bounds[5, 0] = 1e30, -1e30
    frame = np.array([*rng.normal(size=3), 1.0])
    return np.array([7, 4, 5, 0]), bounds, frame, np.zeros((9, 6), np.float32)


def refit(n: int) -> Callable[[np.random.Generator], tuple[Any, ...]]:
    def given(rng: np.random.Generator) -> tuple[Any, ...]:
        tree = BoxTree(boxes(rng, n))
        tree._store(np.arange(n), boxes(rng, n))
        planes = tree.planes.copy()
        return planes, planes.view(np.int32), tree._boxes

    return given


def place_body(rng: np.random.Generator) -> tuple[Any, ...]:
    links, solids = 4, 30
    return (
        np.stack([pose(rng) for _ in range(links)]), 2, 3, 3 + solids,
        np.zeros((9, 4, 4)),
        np.r_[[0] * 3, rng.integers(2, 2 + links, solids)].astype(np.int32),
        rng.integers(0, 7, 3 + solids).astype(np.int32),
        rng.uniform(0, 1, (3 + solids, 3)), rng.normal(size=(3 + solids, 3)),
        np.stack([pose(rng) for _ in range(3 + solids)]),
        np.zeros((3 + solids, 4, 4)), np.zeros((3 + solids, 6)),
    )  # fmt: skip


def turn(rng: np.random.Generator) -> tuple[Any, ...]:
    return pose(rng), rng.normal(size=(20, 3)), np.empty((20, 3))


def take_back(rng: np.random.Generator) -> tuple[Any, ...]:
    returned = rng.random(20) < 0.7
    return (
        rng.normal(size=(20, 3)), np.where(returned, rng.random(20), np.inf),
        returned, rng.random(20) < 0.3, rng.integers(0, 9, 20), 5.0,
        np.empty((20, 3)), np.empty(20, np.int64), np.empty(20),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("module", "name", "given"),
    [
        (shading, "aim", aim),
        (shading, "average", average),
        (shading, "to_bytes", to_bytes),
        (box_moves, "store_boxes", store_boxes),
        *((box_moves, "refit", refit(n)) for n in (0, 1, 8, 9, 70, 300)),
        (placement, "place_body", place_body),
        (returns, "turn", turn),
        (returns, "take_back", take_back),
    ],
)
def test_whole_arrays_give_what_loops_give(
    module: ModuleType, name: str, given: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, results = [], []
    for interpreted in (True, False):
        monkeypatch.setattr(module, "INTERPRETED", interpreted)
        args = given(np.random.default_rng(3))
        with np.errstate(all="ignore"):
            results.append(getattr(module, name)(*args))
        found.append([one for one in args if isinstance(one, np.ndarray)])
    assert results[0] == results[1]
    for one, other in zip(*found, strict=True):
        # links of trees are no numbers in float32
        np.testing.assert_array_equal(one.view(np.uint8), other.view(np.uint8))


def test_a_tree_that_moves_some_hundred_times_compiles_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("_refit", "_store_boxes"):
        kernel = fresh(getattr(mesh_bvh, name))
        kernel._is_kept = False
        monkeypatch.setattr(kernel, "now", lambda: pytest.fail("compiled"))
        monkeypatch.setattr(mesh_bvh, name, kernel)
    # what is expected of calls counts, not what else the machine does
    still = SimpleNamespace(thread_time=lambda: 0.0)
    monkeypatch.setattr(jit_kernel, "time", still)
    rng = np.random.default_rng(4)
    bounds = boxes(rng, 30)
    tree = BoxTree(bounds)
    tree._refitted = lambda: 0.0  # type: ignore[method-assign]
    for _ in range(400):
        tree.move(np.arange(30), bounds)
    for _ in range(400):
        BoxTree._refitted(tree)


def test_pictures_ask_no_other_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes as long to begin as their kernels take to compile."""
    monkeypatch.setattr(Kernel, "prepare", lambda _: pytest.fail("asked"))
    scene = RayScene([RayInstance(Sphere(1.0), T_world=np.eye(4), id=1)])
    camera = np.eye(4)
    camera[2, 3] = -3.0
    image = render(scene, {1: (1, 0, 0)}, Camera(camera, 16, 12, Lens(16, 16, 8, 6)))
    assert image[6, 8, 0] > image[6, 8, 1]


def test_kernels_with_vectors_are_wanted_once_plain_ones_took_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A picture does not: its rays take less than a second."""

    def work(*_: Any) -> bool:
        end = time.thread_time() + 0.02
        while time.thread_time() < end:
            pass
        return True

    monkeypatch.setattr(jit_kernel, "in_background", lambda _: pytest.fail("too soon"))
    scratch = SimpleNamespace(arrays_for=lambda _: ())
    monkeypatch.setattr(ray_caster, "_scratch", scratch)
    plain: Any = SimpleNamespace(now=lambda: work() and work)
    for kernel in (fresh(ray_caster._coherent), fresh(ray_caster._incoherent)):
        kernel._is_kept = False
        assert ray_caster._cast_singly(plain, ray_caster.NO_RAYS, 1, (), 1, kernel)
        assert 20.0 <= kernel._spent < 40.0, "compiling does not count"
        kernel.went_without(1.0)
        assert kernel.ready(at_once=False) is None
        kernel.went_without(0.5)
        assert kernel._pays(0.0)


def test_what_else_the_machine_does_is_no_reason_to_compile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(box_moves, "store_boxes", lambda: time.sleep(0.05))
    kernel = fresh(mesh_bvh._store_boxes)
    kernel.python()
    assert kernel._spent < 25.0

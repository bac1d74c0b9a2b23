"""Camera images of the demo scene: images a second, and where the time goes.

``python benchmarks/camera.py`` loads what ``pyrave demo`` shows and takes 640 x 480
images through a camera sensor, from where the scene's own camera stands. Medians of
interleaved runs; `shading_of_casting` is the time of everything but the rays over that
of the rays, on one core. On a machine that does other work the processor's time on one
core says more.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from measuring import interleaved, report

import pyrave
from pyrave.cli.commands.demo import demo_scene
from pyrave.geometry import RayScene, Surroundings, view
from pyrave.geometry.workers import core_count
from pyrave_sensors.optics.lens import DistortedLens

WIDTH, HEIGHT = 640, 480


def camera_in_the_demo() -> tuple[pyrave.Environment, Any]:
    """Return the demo scene and a camera where its own one stands."""
    env = pyrave.Environment()
    loaded = env.load(demo_scene())
    lens = (580.0, 580.0, 319.5, 239.5)
    size = {"width": WIDTH, "height": HEIGHT}
    camera: Any = env.create("sensor", "BaseCamera", kk=lens, **size)
    camera.transform = loaded.scene.camera.pose.matrix
    env.add(camera)
    return env, camera


class Clock(RayScene):
    """A ray scene that counts the time of its casts."""

    spent = 0.0

    def cast(self, *arguments: Any, **options: Any) -> Any:
        begin = time.perf_counter()
        try:
            return super().cast(*arguments, **options)
        finally:
            self.spent += time.perf_counter() - begin


def shading_of_casting(around: Surroundings, camera: Any) -> float:
    """Return the time of the rest over that of the casts, on one core."""
    scene = around.scene.clone()
    scene.__class__ = Clock
    watched = replace(around, scene=scene)
    parts = []
    for _ in range(7):
        scene.spent = 0.0
        begin = time.perf_counter()
        view(watched, camera, {"image"}, threads=1)
        whole = time.perf_counter() - begin
        parts.append((whole - scene.spent) / scene.spent)
    return float(np.median(parts[1:]))


def processor_time(case: Callable[[], Any]) -> float:
    """Return milliseconds of this thread, which other processes do not stretch."""
    times = []
    for _ in range(9):
        begin = time.thread_time()
        case()
        times.append(time.thread_time() - begin)
    return round(1e3 * float(np.median(times)), 2)


def main() -> None:
    """Measure and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    _env, sensor = camera_in_the_demo()
    plain = sensor.options
    lens = DistortedLens(
        580, 580, 319.5, 239.5, 0, "plumb_bob", (-0.2, 0.05, 1e-3, 0, 0)
    )
    around, _ = sensor.surroundings()
    dark = replace(around, lighting=replace(around.lighting, shadows=True))
    camera = sensor.camera
    bent = replace(camera, lens=lens, _rays={})

    def measured(**options: Any) -> Callable[[], Any]:
        def run() -> None:
            sensor.options = replace(plain, **options)
            sensor.measure()

        return run

    def seen(around: Surroundings, camera: Any, threads: int) -> Callable[[], Any]:
        return lambda: view(around, camera, {"image"}, threads=threads)

    everything = ("color", "depth", "distance", "normals", "segmentation")
    times = interleaved(
        {
            "color": measured(),
            "color, shadows": measured(shadows=True),
            "color, 2x2 samples": measured(samples=2),
            "color, shadows, 2x2 samples": measured(shadows=True, samples=2),
            "depth": measured(outputs=("depth",)),
            "all outputs": measured(outputs=everything),
            "color, one core": seen(around, camera, 1),
            "color, shadows, one core": seen(dark, camera, 1),
            "color, distorted": seen(around, bent, core_count()),
        },
        arguments.rounds,
        2,
    )
    report(
        "camera",
        image=[WIDTH, HEIGHT],
        instances=len(around.scene),
        images_per_second={
            name: round(1.0 / case["median_s"], 1) for name, case in times.items()
        },
        milliseconds={
            name: round(1e3 * case["median_s"], 2) for name, case in times.items()
        },
        processor_milliseconds_on_one_core={
            "color": processor_time(seen(around, camera, 1)),
            "color, shadows": processor_time(seen(dark, camera, 1)),
            "depth": processor_time(lambda: view(around, camera, {"depth"}, threads=1)),
        },
        two_cores_over_one=round(
            times["color, one core"]["median_s"] / times["color"]["median_s"], 2
        ),
        shading_of_casting=round(shading_of_casting(around, camera), 2),
        shading_of_casting_with_shadows=round(shading_of_casting(dark, camera), 2),
        cores=core_count(),
    )


if __name__ == "__main__":
    main()

"""Data of all sensors of a robot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyrave_openravepy.api.examples._program import api, expect, scene, tell

__all__ = ["run"]


def run(args: Sequence[str] | None = None) -> None:
    """Read each sensor once and print what it measures."""
    with scene(args, __doc__ or "") as (env, robot):
        for attached in robot.GetAttachedSensors():
            sensor = attached.GetSensor()
            sensor.Configure(api().Sensor.ConfigureCommand.PowerOn)
            for _ in range(20):
                env.StepSimulation(0.01)
            data = sensor.GetSensorData()
            parts = {
                name: value for name, value in vars(data).items() if name[0] != "_"
            }
            shapes = {name: np.shape(value) for name, value in parts.items()}
            expect(parts, f"{attached.GetName()} measures nothing")
            tell(f"{attached.GetName()}: {type(data).__name__} {shapes}")

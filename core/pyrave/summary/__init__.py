"""An environment as plain data for JSON, as ``pyrave info --json`` prints it."""

from pyrave.summary.plain import plain, to_json
from pyrave.summary.scene import (
    INFO_SCHEMA,
    names_by_id,
    problem_summary,
    scene_summary,
    sensor_data_summary,
    sensor_summary,
)

__all__ = [
    "INFO_SCHEMA",
    "names_by_id",
    "plain",
    "problem_summary",
    "scene_summary",
    "sensor_data_summary",
    "sensor_summary",
    "to_json",
]

"""Start-up: ``import pyrave`` against ``import numpy``; listing with 200 plugins.

Targets: import <= 1.5x numpy; ``pyrave plugins`` with 200 installed plugins <= 1.5x
its time with none, plus 50 ms.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from measuring import interleaved, process, python, report

ROUNDS = 15
PLUGINS = 200


def dummy_plugins(folder: Path) -> None:
    """Install distributions, as metadata on a path, whose code must not be imported."""
    for i in range(PLUGINS):
        name = f"dummy_plugin_{i}"
        info = folder / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
        )
        (info / "entry_points.txt").write_text(
            f"[pyrave.sensor]\nDummySensor{i} = {name}:Sensor\n"
            f"[pyrave.planner]\nDummyPlanner{i} = {name}:Planner\n"
        )
        (folder / f"{name}.py").write_text("raise RuntimeError('imported')\n")


def main() -> None:
    imports = interleaved(
        {
            "numpy": python("import numpy"),
            "pyrave": python("import pyrave"),
            "pyrave_environment": python("import pyrave; pyrave.Environment"),
        },
        ROUNDS,
    )
    listing = (sys.executable, "-m", "pyrave", "plugins", "--json")
    with tempfile.TemporaryDirectory() as name:
        dummy_plugins(Path(name))
        path = os.pathsep.join(filter(None, (name, os.environ.get("PYTHONPATH"))))
        plugins = interleaved(
            {
                "none": process(*listing),
                "with_200": process(*listing, environment={"PYTHONPATH": path}),
            },
            ROUNDS,
        )
    bound = 1.5 * plugins["none"]["median_s"] + 0.05
    report(
        "startup",
        imports=imports,
        import_ratio=imports["pyrave"]["median_s"] / imports["numpy"]["median_s"],
        import_target=1.5,
        plugins=plugins,
        plugins_bound_s=bound,
        plugins_within=plugins["with_200"]["median_s"] <= bound,
    )


if __name__ == "__main__":
    main()

"""Hook of the build: beside the pure wheel one for the platform, with machine code.

It compiles for minutes, which no ``pip install`` may. So it runs where it is asked for:
with ``HATCH_BUILD_HOOK_ENABLE_CUSTOM=true`` in the environment.
"""

from __future__ import annotations

import os
import sys
import time
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class MachineCodeHook(BuildHookInterface[Any]):
    """Writes the wheel for the platform beside a pure wheel that was built."""

    def finalize(
        self, version: str, build_data: dict[str, Any], artifact_path: str
    ) -> None:
        """Compile what is in the wheel with what is in the wheel."""
        if version != "standard":
            return
        _end_with_parent()
        with TemporaryDirectory() as folder, zipfile.ZipFile(artifact_path) as wheel:
            wheel.extractall(folder)
            sys.path.insert(0, folder)
            from pyrave.cli.commands.warm import warm
            from pyrave.cli.interrupts import interruptible

            path, level = Path(artifact_path), self.config["level"]
            only = tuple(self.config.get("only", ()))
            status = interruptible(lambda: warm(wheel=path, level=level, only=only))
        if status:
            self.app.abort("the wheel for the platform was not made", status)


def _end_with_parent() -> None:
    """End this process, and so those that compile, when who asked for it is gone."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    Thread(target=watch, daemon=True).start()

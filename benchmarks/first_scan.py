"""Time to the first laser scan of a fresh process, with an empty and a warm cache.

Target: warm <= 1.5x a fresh process that imports numba and calls one cached kernel.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from measuring import interleaved, python, report

ROUNDS = 9
EMPTY_ROUNDS = 3

SCAN = """
import pyrave
env = pyrave.load("scenes/demo.env.xml")
print(env.robots[0].attached_sensors[0].measure().distances.min())
"""

KERNEL = """
import os
import numba
numba.config.CACHE_DIR = os.environ["PYRAVE_CACHE_DIR"]
import sys
sys.path.insert(0, os.environ["BENCHMARK_FOLDER"])
import tiny_kernel
tiny_kernel.run()
"""

TINY = """
import numba
import numpy as np

@numba.njit(cache=True)
def total(values):
    s = 0.0
    for v in values:
        s += v
    return s

def run():
    return total(np.ones(10))
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "tiny_kernel.py").write_text(TINY)
        warm = {
            "PYRAVE_CACHE_DIR": str(folder / "warm"),
            "BENCHMARK_FOLDER": str(folder),
        }
        figures = interleaved(
            {
                "numba_and_one_cached_kernel": python(KERNEL, warm),
                "first_scan_warm": python(SCAN, warm),
            },
            ROUNDS,
        )
        number = iter(range(100))

        def empty() -> None:
            cache = {"PYRAVE_CACHE_DIR": str(folder / f"empty{next(number)}")}
            python(SCAN, cache)()

        figures |= interleaved({"first_scan_empty": empty}, EMPTY_ROUNDS, warm_up=0)
    report(
        "first_scan",
        figures=figures,
        warm_ratio=figures["first_scan_warm"]["median_s"]
        / figures["numba_and_one_cached_kernel"]["median_s"],
        warm_target=1.5,
    )


if __name__ == "__main__":
    main()

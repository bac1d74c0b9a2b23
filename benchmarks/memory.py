"""1000 environments created, loaded, stepped and dropped.

Target: resident memory grows by less than 5 MB after the first 100; threads stay flat.
"""

from __future__ import annotations

import threading

import psutil
from measuring import report

import pyrave

CYCLES = 1000
SETTLED = 100


def main() -> None:
    process = psutil.Process()
    resident: dict[int, float] = {}
    for i in range(1, CYCLES + 1):
        env = pyrave.load("scenes/demo.env.xml")
        env.step(0.01)
        del env
        if i % SETTLED == 0:
            resident[i] = process.memory_info().rss / 1e6
    growth = resident[CYCLES] - resident[SETTLED]
    report(
        "memory",
        resident_mb=resident,
        growth_mb=growth,
        target_mb=5,
        threads=threading.active_count(),
    )


if __name__ == "__main__":
    main()

"""Build a database on a cluster of two workers on this machine."""

from __future__ import annotations

import tempfile
from typing import Any

import distributed
import numpy as np

import pyrave
from pyrave.databases import IkStatistics


def main() -> None:
    env = pyrave.load("scenes/demo.env.xml")
    arm = env.robots["heron7"].manipulators["arm"]
    local_cluster: Any = distributed.LocalCluster  # Dask has types for little
    with (
        tempfile.TemporaryDirectory() as folder,
        local_cluster(
            n_workers=2,
            threads_per_worker=1,
            dashboard_address=None,
            local_directory=folder,
        ) as cluster,
    ):
        on_cluster = IkStatistics(arm, goals=400)
        on_cluster.clean()
        on_cluster.build(scheduler=cluster.scheduler_address)
    here = IkStatistics(arm, goals=400)
    here.clean()
    here.build()
    same = all(
        np.array_equal(array, on_cluster.arrays[name], equal_nan=True)
        for name, array in here.arrays.items()
    )
    print(f"{here.summary()['goals']} goals, the same bit for bit: {same}")


if __name__ == "__main__":
    main()

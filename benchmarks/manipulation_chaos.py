"""Builds of databases that something befalls: equal results, or a message that says it.

Each fault, ``--times`` times (20), at a random moment of a build of 24 tasks:

* ``worker``: half of the processes of this machine (``--workers``, 2) are killed.
* ``cluster``: a worker of a Dask scheduler is killed, and another one joins.
* ``scheduler``: the scheduler is killed; the next build needs none.
* ``client``: the process that builds is killed, with no word to anybody.
* ``disk``: a write fails as on a full disk.
* ``cut``: the file, or a part of an unfinished build, loses its end.

After each of them the next ``build()`` has to have what an undisturbed one has, bit for
bit, and may do again only tasks that were not done: as many as workers had, or were
about to tell. ``wrong``, ``untold`` and ``again`` have to be 0.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from chaos_database import TASKS, MarkedDatabase, database
from measuring import report

from pyrave.errors import StateError

Item = TypeVar("Item")
FAULTS = ("worker", "cluster", "scheduler", "client", "disk", "cut")


class Trial:
    """One build in a folder of its own, and what was found about it."""

    def __init__(self, folder: Path, rng: np.random.Generator, workers: int) -> None:
        self.folder = folder
        self.workers = workers
        self.moment = int(rng.integers(1, TASKS))
        self._rng = rng
        self.marks = folder / "marks"
        self.marks.mkdir(parents=True)
        os.environ["PYRAVE_DATABASE"] = str(folder / "kept")
        os.environ["CHAOS_MARKS"] = str(self.marks)
        self.database = database()

    def some(self, items: Sequence[Item], count: int = 1) -> list[Item]:
        """Return some items at random."""
        places = self._rng.permutation(len(items))[:count]
        return [items[place] for place in places]

    def below(self, most: int) -> int:
        """Return a number at random."""
        return int(self._rng.integers(most))

    def once(self, fault: Callable[[], None]) -> Callable[[int, int], None]:
        """Return a report of progress that has a fault happen at the moment."""
        left = [True]

        def progress(done: int, _total: int) -> None:
            if done >= self.moment and left.pop() if left else False:
                fault()

        return progress

    def repeated(self) -> int:
        """Return how many tasks were begun more than once."""
        begun = Counter(one.name.partition(".")[0] for one in self.marks.iterdir())
        return sum(count - 1 for count in begun.values())


def on_worker(trial: Trial) -> str:
    def kill() -> None:
        children = multiprocessing.active_children()
        for one in trial.some(children, max(trial.workers // 2, 1)):
            os.kill(one.pid or 0, signal.SIGKILL)

    trial.database.build(workers=trial.workers, progress=trial.once(kill))
    return ""


def on_client(trial: Trial) -> str:
    script = Path(__file__).with_name("chaos_database.py")
    done = subprocess.run(
        [sys.executable, script, str(trial.moment)], capture_output=True, check=False
    )
    if done.returncode != -signal.SIGKILL:
        raise RuntimeError(f"the client was not killed: {done.stderr.decode()}")
    kept = trial.database.status().finished
    if kept < trial.moment:
        raise RuntimeError(f"{kept} tasks are kept, and {trial.moment} were done")
    return ""


def on_disk(trial: Trial) -> str:
    real, written = os.fsync, [0]

    def fsync(number: int) -> None:
        written[0] += 1
        if written[0] == trial.moment:
            raise OSError(28, "No space left on device")
        real(number)

    os.fsync = fsync
    try:
        trial.database.build()
    except StateError as error:
        return str(error)
    finally:
        os.fsync = real
    return ""


def on_cut(trial: Trial) -> str:
    """Cut the file of a finished build, or parts of an unfinished one."""
    if trial.below(2):

        def stop() -> None:
            raise KeyboardInterrupt

        with contextlib.suppress(KeyboardInterrupt):
            trial.database.build(progress=trial.once(stop))
        folder = trial.database.path.with_suffix(".parts")
        victim = trial.some(sorted(folder.iterdir()))[0]
        said = "part"
    else:
        victim, said = trial.database.build().path, ""
        # all is to be made anew
        for mark in trial.marks.iterdir():
            mark.unlink()
    data = victim.read_bytes()
    victim.write_bytes(data[: trial.below(len(data))])
    if said:
        return said
    try:
        trial.database.load()
    except StateError as error:
        return str(error)
    return ""


class Cluster:
    """A scheduler and two workers, each a process of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._log = (folder / "cluster.log").open("wb")
        contact = folder / "scheduler.json"
        contact.unlink(missing_ok=True)
        self.scheduler = self._started(
            "scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", contact
        )
        self._contact = contact
        while not self.address:
            time.sleep(0.05)
        self.workers = [self.add_worker() for _ in range(2)]

    def _started(self, *words: object) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "distributed.cli.dask_worker"]
        command[-1] = f"distributed.cli.dask_{words[0]}"
        here = str(Path(__file__).parent)
        path = os.pathsep.join(filter(None, [here, os.environ.get("PYTHONPATH")]))
        return subprocess.Popen(
            [*command, *map(str, words[1:])],
            stdout=self._log,
            stderr=self._log,
            env={**os.environ, "PYTHONPATH": path},
        )

    @property
    def address(self) -> str:
        try:
            text = self._contact.read_text(encoding="utf-8")
            return str(json.loads(text)["address"])
        except (FileNotFoundError, json.JSONDecodeError):
            return ""  # it is not whole yet

    def add_worker(self) -> subprocess.Popen[bytes]:
        return self._started(
            "worker", "--scheduler-file", self._contact, "--no-nanny",
            "--nthreads", "1", "--no-dashboard",
            "--local-directory", self._folder / "spill",
        )  # fmt: skip

    def end(self) -> None:
        for one in (*self.workers, self.scheduler):
            one.kill()
            one.wait()
        self._log.close()


def on_cluster(trial: Trial) -> str:
    cluster = Cluster(trial.folder)

    def kill() -> None:
        trial.some(cluster.workers)[0].kill()
        cluster.workers.append(cluster.add_worker())

    try:
        trial.database.build(scheduler=cluster.address, progress=trial.once(kill))
    finally:
        cluster.end()
    return ""


def on_scheduler(trial: Trial) -> str:
    cluster = Cluster(trial.folder)
    try:
        trial.database.build(
            scheduler=cluster.address, progress=trial.once(cluster.scheduler.kill)
        )
    except StateError as error:
        return str(error)
    finally:
        cluster.end()
    return ""


DO = {
    "worker": on_worker,
    "cluster": on_cluster,
    "scheduler": on_scheduler,
    "client": on_client,
    "disk": on_disk,
    "cut": on_cut,
}
# tasks that workers had, or had done and not told yet
AGAIN = {"worker": 1, "cluster": 4, "scheduler": 4, "client": 4, "disk": 1, "cut": 1}
SAYS = {"scheduler": "has gone", "disk": "No space left on device; make room"}


def run(fault: str, options: Any, expected: dict[str, Any]) -> dict[str, Any]:
    """Return what was found in so many trials of a fault."""
    times, workers = options.times, options.workers
    rng = np.random.default_rng((options.seed, FAULTS.index(fault)))
    most = AGAIN[fault] * (workers // 2 if fault == "worker" else 1)
    found = Counter({"times": times, "wrong": 0, "untold": 0, "again": 0})
    messages: Counter[str] = Counter()
    redone = []
    for _ in range(times):
        folder = Path(tempfile.mkdtemp(prefix="chaos"))
        trial = Trial(folder, rng, workers)
        said = DO[fault](trial)
        wanted = SAYS.get(fault, "")
        if wanted and wanted not in said:
            # the last tasks may be done before anybody notices
            found["untold"] += not trial.database.is_current
        if said:
            messages[said.replace(str(folder), "")[-60:]] += 1
        result: MarkedDatabase = database().build()
        found["wrong"] += not all(
            np.array_equal(result.arrays[name], expected[name]) for name in expected
        )
        redone.append(trial.repeated())
        found["again"] += redone[-1] > most
        shutil.rmtree(folder)
    return {**found, "redone": sum(redone), "messages": dict(messages.most_common(3))}


def main(arguments: list[str]) -> None:
    """Run the faults and print what was found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument(
        "--workers", type=int, default=2, help="of `worker`, half of which are killed"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*", choices=FAULTS, default=FAULTS)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        quiet = Trial(Path(folder), np.random.default_rng(0), 1)
        expected = dict(quiet.database.build().arrays)
        found = {}
        for fault in options.only:
            found[fault] = run(fault, options, expected)
            print(fault, found[fault], file=sys.stderr, flush=True)
    report("chaos", faults=found)
    bad = sum(one["wrong"] + one["untold"] + one["again"] for one in found.values())
    raise SystemExit(1 if bad else 0)

"""Faults while files are written, read, kept and served: what is lost or not told.

Each fault befalls a process of its own that saves, records, fills the cache or a
database, or serves:

* ``kill -9`` just before each step that a file goes through, and in the middle of its
  data;
* a disk that is full before, amid and after the data (a small tmpfs where it can be
  mounted, else a limit of file sizes);
* a folder, or what is in it, that belongs to somebody else;
* a folder that vanishes before each step;
* two processes that write the same at once, while a third one reads;
* files that are cut short, which are then read.

After each: is what was there before still whole, or something new and whole in its
place (``lost``)? Does the next run work (``stopped``)? Was it told in words that name
the file, as a `pyrave.Error` or, where work goes on without, a warning (``untold``)?
Did files stay behind although the process went on (``left``)? The target is 0 of all.

Then hostile clients beside an honest one, see `hostile_clients`: each of its calls,
each over a new connection, ends within a second.

``--only save cache`` chooses areas. It needs Linux; as root it knows all faults.
"""

from __future__ import annotations

import argparse
import logging
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import fault_kinds as kinds
from fault_kinds import Verdict, in_child, untold
from fault_works import Keeping, Work, keepings, works
from measuring import report

import pyrave

AREAS = ("save", "record", "cache", "databases", "serve")
_DISK = 8 << 20
_ROUNDS = 8
_IS_ROOT = os.geteuid() == 0


class Place:
    """A folder with a good file in it, in which a work meets faults."""

    def __init__(self, work: Work, folder: Path) -> None:
        self.work, self.folder = work, folder
        self.path = folder / work.name
        self.whole = []
        for content in (1, 0):
            self.renew()
            work.write(self.path, content)
            self.whole.append(work.seen(folder))

    def renew(self) -> None:
        """Make the folder anew, and nothing in it."""
        for path in (self.folder, Path(f"{self.folder}.gone")):
            shutil.rmtree(path, ignore_errors=True)
        self.folder.mkdir()

    def fill(self) -> None:
        """Have the good file there."""
        self.renew()
        self.work.write(self.path, 0)

    def judge(
        self,
        fault: str,
        outcome: kinds.Outcome,
        folder: Path | None = None,
        *,
        may_succeed: bool = False,
    ) -> Verdict:
        """Return what is wrong after the good file was to be replaced by another."""
        found = Verdict(self.work.area, fault, self.work.name)
        there = self.work.seen(folder or self.folder)
        if there not in self.whole:
            found.lost.append(f"there is {there}, expected one of {self.whole}")
        is_new = there == self.whole[0]
        if not (is_new and may_succeed and not outcome.error):
            # of several files it names the one that could not be written
            found.untold += untold(outcome, self.work.name.partition(".")[0])
        hidden = [p.name for p in self.folder.glob(".*.part*")]
        if hidden and not outcome.was_killed:
            found.left += hidden
        return found

    def next_run(self, found: Verdict) -> Verdict:
        """Note whether the same work is done now."""
        self.folder.mkdir(exist_ok=True)
        outcome = in_child(partial(self.work.write, self.path, 1), self.folder)
        if (
            outcome.status
            or outcome.error
            or self.work.seen(self.folder) != self.whole[0]
        ):
            found.stopped.append(outcome.error or f"status {outcome.status}")
        return found


def faults_of_work(work: Work, root: Path) -> Iterator[Verdict]:
    """Yield what each fault does to a file of a user."""
    place = Place(work, root / "place")
    write = partial(work.write, place.path, 1)
    place.fill()
    steps = in_child(write, place.folder).steps
    size = place.path.stat().st_size

    def befall(name: str, **how: Any) -> Verdict:
        place.fill()
        outcome = in_child(write, place.folder, **how)
        gone = Path(f"{place.folder}.gone")
        there = gone if gone.exists() else place.folder
        return place.next_run(place.judge(name, outcome, there, may_succeed=True))

    for step in range(steps):
        yield befall("killed", at_step=(step, kinds.kill))
    for part in (1, size // 2):
        yield befall("killed", fault=kinds.limited(part, deadly=True))
    for step in range(steps):
        yield befall("vanished", at_step=(step, kinds.vanish(place.folder)))
    yield from _full_disk(place, write, size)
    if _IS_ROOT:
        for mode in (0o755, 0o700):
            yield _foreign(place, write, mode)
    yield _two_at_once(place)
    if work.read is not None:
        yield from _cut(place, size)


def _full_disk(place: Place, write: Callable[[], Any], size: int) -> Iterator[Verdict]:
    for left in (0, size // 2):
        place.renew()
        with kinds.small_disk(place.folder, _DISK) as mounted:
            place.work.write(place.path, 0)
            if mounted:
                filler = kinds.fill_disk(place.folder, left)
                outcome = in_child(write, place.folder)
            else:
                filler = None
                limit = kinds.limited(left, deadly=False)
                outcome = in_child(write, place.folder, limit)
            found = place.judge("full", outcome, may_succeed=left > 0)
            if filler is not None:
                filler.unlink()
            place.next_run(found)
        yield found


def _foreign(place: Place, write: Callable[[], Any], mode: int) -> Verdict:
    place.fill()
    place.folder.chmod(mode)
    kinds.give_away(place.folder, *place.folder.iterdir())
    found = place.judge("foreign", in_child(write, place.folder, kinds.as_nobody))
    if place.work.seen(place.folder) != place.whole[1]:
        found.lost.append("the file of another user was replaced")
    os.chown(place.folder, 0, 0)
    return place.next_run(found)


def _two_at_once(place: Place) -> Verdict:
    """Have two processes write for a while, and look at what is there meanwhile."""
    place.fill()
    found = Verdict(place.work.area, "two", place.work.name)

    def write_often(first: int) -> None:
        for turn in range(_ROUNDS):
            place.work.write(place.path, (first + turn) % 2)

    child = os.fork()
    if not child:
        code = in_child(partial(write_often, 1), place.folder)
        os._exit(bool(code.status or code.error))
    for turn in range(_ROUNDS):
        place.work.write(place.path, turn % 2)
        if place.work.read is not None:
            try:
                place.work.read(place.path)
            except pyrave.Error as error:
                found.lost.append(str(error))
    if os.waitpid(child, 0)[1]:
        found.stopped.append("one of two writers failed")
    if place.work.seen(place.folder) not in place.whole:
        found.lost.append("two writers left neither's file")
    return place.next_run(found)


def _cut(place: Place, size: int) -> Iterator[Verdict]:
    read = place.work.read
    assert read is not None  # noqa: S101 - it was asked
    for length in (0, size // 3, 2 * size // 3):
        place.fill()
        os.truncate(place.path, length)
        outcome = in_child(partial(read, place.path), place.folder)
        found = Verdict(place.work.area, "cut", place.work.name)
        # a trajectory does not know the name of the file that it is read from
        word = "" if "traj" in place.work.name else place.work.name
        if not outcome.error:
            found.untold.append(f"{length} of {size} bytes are read without an error")
        found.untold += untold(outcome, word)
        yield place.next_run(found)


# -- what is kept --------------------------------------------------------------------


def faults_of_keeping(keeping: Keeping, root: Path) -> Iterator[Verdict]:
    """Yield what each fault does to work that keeps something for later."""
    folder = root / "kept"
    do = partial(keeping.do, folder)

    def renew(*, filled: bool) -> None:
        for path in (folder, Path(f"{folder}.gone")):
            shutil.rmtree(path, ignore_errors=True)
        if filled:
            outcome = in_child(do, folder)
            if outcome.error or outcome.warned or not keeping.kept(folder):
                raise RuntimeError(f"nothing is kept: {outcome}")

    def judge(fault: str, outcome: kinds.Outcome, word: str | None) -> Verdict:
        found = Verdict(keeping.area, fault, keeping.name)
        if word is not None:
            found.untold += untold(outcome, word, by_warning=True)
        elif outcome.error:
            found.stopped.append(outcome.error)
        hidden = [p.name for p in folder.rglob("*.part*")]
        if hidden and not outcome.was_killed:
            found.left += hidden
        return found

    def next_run(found: Verdict) -> Verdict:
        """Note whether work goes on, and the run after it finds what is kept."""
        for _ in range(2):
            outcome = in_child(do, folder)
            if outcome.status or outcome.error or outcome.warned:
                found.stopped.append(outcome.error or f"it warned {outcome.warned}")
        there = in_child(partial(_require_kept, do), folder)
        if there.error:
            found.lost.append(there.error)
        return found

    renew(filled=False)
    steps = in_child(do, folder).steps
    size = max(path.stat().st_size for path in keeping.kept(folder))
    for step in range(steps):
        renew(filled=False)
        outcome = in_child(do, folder, at_step=(step, kinds.kill))
        yield next_run(judge("killed", outcome, None))
    for part in (1, size // 2):
        renew(filled=False)
        outcome = in_child(do, folder, kinds.limited(part, deadly=True))
        yield next_run(judge("killed", outcome, None))
    for step in range(steps):
        renew(filled=False)
        folder.mkdir(mode=0o700)
        gone = kinds.vanish(folder)
        outcome = in_child(do, folder, at_step=(step, gone))
        yield next_run(judge("vanished", outcome, None))
    for left in (0, size // 2):
        renew(filled=False)
        folder.mkdir(mode=0o700)
        with kinds.small_disk(folder, _DISK) as mounted:
            if mounted:
                filler = kinds.fill_disk(folder, left)
                outcome = in_child(do, folder)
                filler.unlink()
            else:
                outcome = in_child(do, folder, kinds.limited(left, deadly=False))
            yield next_run(judge("full", outcome, str(folder)))
    if _IS_ROOT:
        renew(filled=True)
        kinds.give_away(folder)
        found = judge("foreign", in_child(do, folder), str(folder))
        os.chown(folder, 0, 0)
        yield next_run(found)
        renew(filled=True)
        kinds.give_away(*keeping.kept(folder))
        yield next_run(judge("foreign", in_child(do, folder), str(folder)))
    renew(filled=True)
    folder.chmod(0o777)
    found = judge("foreign", in_child(do, folder), str(folder))
    folder.chmod(0o700)
    yield next_run(found)
    yield _two_that_keep(do, folder, renew, next_run, keeping)
    for length in (0, size // 2, -1):
        renew(filled=True)
        for path in keeping.kept(folder):
            os.truncate(path, length if length >= 0 else path.stat().st_size - 1)
        yield next_run(judge("cut", in_child(do, folder), str(folder)))


def _require_kept(do: Callable[[], bool]) -> None:
    if not do():
        raise RuntimeError("what was made before is not found")


def _two_that_keep(
    do: Callable[[], bool],
    folder: Path,
    renew: Callable[..., None],
    next_run: Callable[[Verdict], Verdict],
    keeping: Keeping,
) -> Verdict:
    renew(filled=False)
    found = Verdict(keeping.area, "two", keeping.name)
    child = os.fork()
    if not child:
        outcome = in_child(do, folder)
        os._exit(bool(outcome.status or outcome.error or outcome.warned))
    outcome = in_child(do, folder)
    if os.waitpid(child, 0)[1] or outcome.error or outcome.warned:
        found.stopped.append(f"one of two processes failed: {outcome}")
    return next_run(found)


def all_faults(areas: list[str], root: Path) -> Iterator[Verdict]:
    """Yield what every fault does."""
    for work in works():
        if work.area in areas:
            yield from faults_of_work(work, root)
    for keeping in keepings(root / "packages"):
        if keeping.area in areas:
            yield from faults_of_keeping(keeping, root)
    if "serve" in areas:
        from fault_servers import faults_of_servers

        yield from faults_of_servers(root)


def summary(verdicts: list[Verdict]) -> dict[str, Any]:
    """Return counts by area and fault, and all that went wrong."""
    counts = Counter((one.area, one.fault) for one in verdicts)
    return {
        "faults": len(verdicts),
        "by_area": {
            area: {f: n for (a, f), n in sorted(counts.items()) if a == area}
            for area in dict.fromkeys(one.area for one in verdicts)
        },
        **{
            kind: sum(bool(getattr(one, kind)) for one in verdicts)
            for kind in ("lost", "stopped", "untold", "left")
        },
        "failures": [vars(one) for one in verdicts if not one.is_good],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=AREAS, default=list(AREAS))
    parser.add_argument("--seconds", type=float, default=4.0, help="of each attack")
    options = parser.parse_args()
    logging.getLogger("pyrave").addHandler(logging.NullHandler())
    os.environ["PYRAVE_COMPILE"] = "foreground"
    os.environ["PYRAVE_MESSAGES"] = "none"
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)  # other users come as far as here
        figures = summary(list(all_faults(options.only, Path(name))))
    if "serve" in options.only:
        from hostile_clients import honest_beside_hostile

        figures["honest_client_beside"] = honest_beside_hostile(options.seconds)
    report("faults", **figures)


if __name__ == "__main__":
    main()

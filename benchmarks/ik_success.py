"""What inverse kinematics find, lose, get wrong and deny on many poses, as called.

Arms that ship, arms of URDF files (the extra `robots`), and arms whose axes lie
anywhere; each with every kind of goals that fits. Poses come from configurations within
limits. The arm stands at another random configuration within limits and is asked with
``arm.solve_ik(goal)``, ``arm.solve_ik(goal, all=True)`` and ``arm.find_ik(goal)``, with
no hints. Every answer goes back through the robot's own kinematics. Sets:

* ``random``: 99.99 % of the poses must be found.
* ``right angles``: every joint at a multiple of 90 degrees; 99.9 %, as for all that
  follow but one.
* ``straight``: one joint where it alone makes the arm singular, as a straight wrist or
  elbow, and all else random. Some arms have none.
* ``near straight``: the same, 1e-9 to 3e-2 from there.
* ``singular``: all joints at random but one, which is where the arm loses rank.
* ``adversarial``: each joint anywhere, on a limit, at a multiple of 90 degrees, or
  1e-11 to 1e-4 beside these; all must be found.
* ``standing``: configurations of the first three sets, in which the arm stands already;
  ``moved`` counts those that it was asked to leave.

No answer may be wrong (more than 1e-8 m or rad from the goal, or outside limits), and
none may be an untrue "no": `find_ik` without solutions, but complete or "even without
limits". Where a goal leaves no joint free, the configuration must be among all
solutions. Times are those of the calls.

``--kernel`` measures the solver inside in place of the calls: held joints are given the
values that they had, which no caller knows, and limits do not count.

``python benchmarks/ik_success.py --out called.json --jobs 2`` runs everything, which
takes hours; started again it goes on with what is missing in the file. ``--show
called.json`` prints a table of Markdown. ``--arm``, ``--kind``, ``--set`` and
``--poses`` choose a part. Several machines share the work by ``--part 1/4 --out
1.json`` and so on: each takes every fourth arm and kind of goals, and ``--show 1.json
2.json 3.json 4.json`` prints all of them.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import ik_as_called
import ik_kernel
from ik_robots import ARM_NAMES, NotInstalledError, is_known, random_names
from measuring import machine

Task = tuple[str, str]
Results = dict[tuple[str, str, str], dict[str, Any]]


def main() -> int:
    options = _options()
    mode = ik_kernel if options.kernel else ik_as_called
    if options.show:
        return _show(options.show)
    if options.worker:
        return _work(options)
    arms = options.arm or ARM_NAMES
    kinds = ("",) if options.kernel else options.kind or ik_as_called.KINDS
    sets = options.set or mode.SETS
    results = _known(options)
    tasks = [(arm, kind) for kind in kinds for arm in arms]
    tasks = tasks[options.part[0] - 1 :: options.part[1]]
    missing = [task for task in tasks if not _is_done(results, task, sets)]
    with ThreadPoolExecutor(options.jobs) as pool:
        begun = [pool.submit(_measured, task, sets, options) for task in missing]
        for count, future in enumerate(as_completed(begun), 1):
            found = future.result()
            results.pop((found[0]["arm"], found[0]["task"], ""), None)
            for one in found:
                results[one["arm"], one["task"], one["set"]] = one
                said = mode.line(one) if "poses" in one else _note(one)
                print(f"[{count}/{len(begun)}] {said}", flush=True)
            if options.out:  # what is done stays if the run is broken off
                _write(options, results)
    measured = [one for one in results.values() if (one["arm"], one["task"]) in tasks]
    shown = [one for one in measured if "poses" in one]
    bad = [one for one in measured if one.get("faults")]
    print(f"\n{_heading(options)}: {len(shown)} runs, {len(bad)} with faults")
    print(f"\n{mode.table(shown)}")
    return 1 if bad else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--as-called", action="store_true", help="the ordinary calls (the default)"
    )
    which.add_argument(
        "--kernel", action="store_true", help="held joints at their true values"
    )
    parser.add_argument("--poses", type=int, default=10_000, help="of each set")
    parser.add_argument(
        "--sample",
        type=int,
        default=10,
        help="find_ik, and solve_ik(all=True) of arms with joints to spare, are asked "
        "at each so many poses and at those that are lost; as called",
    )
    parser.add_argument("--arm", action="append", metavar="NAME", help="these only")
    parser.add_argument(
        "--kind", action="append", choices=ik_as_called.KINDS, metavar="TYPE"
    )
    parser.add_argument("--set", action="append", metavar="NAME")
    parser.add_argument(
        "--random-arms", type=int, default=0, metavar="N", help="N random arms instead"
    )
    parser.add_argument(
        "--seconds", type=float, default=120.0, help="bound of each set; as called"
    )
    parser.add_argument(
        "--planning",
        type=float,
        default=900.0,
        help="seconds that an arm and kind of goals may take beyond these",
    )
    parser.add_argument(
        "--compare", type=int, default=5000, help="poses for the elimination; --kernel"
    )
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, help="JSON; what is in it is not run again")
    parser.add_argument(
        "--part",
        type=_part,
        default=(1, 1),
        metavar="K/N",
        help="every N-th arm and kind of goals, from the K-th on",
    )
    parser.add_argument(
        "--show", type=Path, nargs="+", help="print a table of such files"
    )
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    for name in options.arm or ():
        if not is_known(name):
            parser.error(f"no arm {name!r}; arms: {', '.join(ARM_NAMES)}")
    if options.random_arms:
        try:
            options.arm = random_names(options.random_arms)
        except NotInstalledError as error:
            parser.error(str(error))
    known = (ik_kernel if options.kernel else ik_as_called).SETS
    for name in options.set or ():
        if name not in known:
            parser.error(f"no set {name!r} in this mode; sets: {', '.join(known)}")
    return options


def _part(text: str) -> tuple[int, int]:
    """Return K and N of ``K/N``."""
    first, _, count = text.partition("/")
    if first.isdecimal() and count.isdecimal() and 1 <= int(first) <= int(count):
        return int(first), int(count)
    raise argparse.ArgumentTypeError(f"{text!r} is no part such as 1/4")


def _show(paths: Sequence[Path]) -> int:
    """Print a table of the results of all files."""
    known = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    modes = {one["measured"] for one in known}
    if len(modes) > 1:
        raise SystemExit(f"the files hold results of different modes: {sorted(modes)}")
    results = [result for one in known for result in one["results"]]
    mode = ik_kernel if modes == {"kernel"} else ik_as_called
    print(f"Measured: {modes.pop()}.")
    if mode is ik_as_called:
        measured = [one for one in results if "poses" in one]
        poses, lost, untrue = (
            sum(one[name] for one in measured) for name in ("poses", "lost", "untrue")
        )
        print(f"\nOf {poses} poses {lost} were not found and {untrue} denied.")
    print(f"\n{mode.table(results)}")
    return 0


def _heading(options: argparse.Namespace) -> str:
    return "kernel" if options.kernel else "as called"


def _measured(
    task: Task, sets: Sequence[str], options: argparse.Namespace
) -> list[dict[str, Any]]:
    """Return the results of a task, measured in a process of its own.

    A process can be ended where planning or a call takes without end; what it had
    printed by then counts.
    """
    arm, kind = task
    command = [sys.executable, __file__, "--worker", "--arm", arm]
    command += ["--kernel", "--compare", str(options.compare)] * options.kernel
    command += ["--kind", kind] if kind else []
    for name in ("poses", "seconds", "sample"):
        command += [f"--{name}", str(getattr(options, name))]
    for name in sets:
        command += ["--set", name]
    limit = None if options.kernel else options.planning + len(sets) * options.seconds
    late: dict[str, Any] = {"arm": arm, "set": "", "kind": kind}
    try:
        done = subprocess.run(
            command, check=False, capture_output=True, text=True, timeout=limit
        )
        text = done.stdout
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            late["note"] = f"failed: {last}"
    except subprocess.TimeoutExpired as error:
        text = (error.stdout or b"").decode()
        late["note"] = f"ended after {limit:.0f} s"
    # a process that is ended may leave half a line
    rows = text[: text.rfind("\n") + 1].splitlines()
    results = [json.loads(row) for row in rows]
    if "note" in late:
        results.append({**late, "faults": [late["note"]]})
    return [{**one, "task": kind} for one in results]


def _work(options: argparse.Namespace) -> int:
    """Measure one arm; print a line of JSON for each result."""
    (arm,) = options.arm
    try:
        if options.kernel:
            found = ik_kernel.run(arm, options.set, options.poses, options.compare)
        else:
            (kind,) = options.kind
            found = ik_as_called.run(
                arm, kind, options.set, options.poses, options.seconds, options.sample
            )
        for one in found:
            print(json.dumps(one), flush=True)
    except NotInstalledError as error:
        kind = "" if options.kernel else options.kind[0]
        skipped = {"arm": arm, "kind": kind, "set": "", "note": f"skipped: {error}"}
        print(json.dumps(skipped), flush=True)
    return 0


def _note(one: dict[str, Any]) -> str:
    return f"{one['arm']:16s} {one['kind']:28s} {one['set']:13s} {one['note']}"


def _known(options: argparse.Namespace) -> Results:
    """Return the results of a file that is gone on with."""
    if not options.out or not options.out.exists():
        return {}
    known = json.loads(options.out.read_text(encoding="utf-8"))
    if known["measured"] != _heading(options):
        raise SystemExit(
            f"{options.out} holds results of another mode ({known['measured']}); give "
            "another file"
        )
    return {(one["arm"], one["task"], one["set"]): one for one in known["results"]}


def _is_done(results: Results, task: Task, sets: Sequence[str]) -> bool:
    if results.get((*task, ""), {}).get("fits") is False:
        return True
    return all((*task, name) in results for name in sets)


def _write(options: argparse.Namespace, results: Results) -> None:
    data = {
        "benchmark": "ik_success",
        "measured": _heading(options),
        "when": time.strftime("%Y-%m-%d %H:%M"),
        "machine": machine(),
        "results": list(results.values()),
    }
    new = options.out.with_name(f"{options.out.name}.new")
    new.write_text(json.dumps(data), encoding="utf-8")
    new.replace(options.out)


if __name__ == "__main__":
    sys.exit(main())

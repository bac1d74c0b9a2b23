"""Fuzz the readers for as long as one likes; prints what was found as JSON.

    python tests/fuzz/run.py --minutes 10 --target formula

Each target runs in a process of its own with bounded memory, guided by coverage where
`atheris` is installed (the extra ``fuzz``), at random otherwise. For each kind of
failure the smallest input is kept with its traceback, below ``--folder``.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib.util
import json
import os
import random
import subprocess
import sys
import time
import warnings
from pathlib import Path

_HERE = Path(__file__).resolve().parent
_FOLDERS = [str(_HERE), str(_HERE.parent / "support")]
_MEMORY = 6 << 30
_STATUS_EVERY = 5.0
# plain kernels check their indices, and compiling would look like a slow input
_VARIABLES = {"NUMBA_DISABLE_JIT": "1"}


class Recorder:
    """Examines inputs, keeps the smallest of each kind of failure, and counts."""

    def __init__(self, target, folder: Path) -> None:
        from targets import examine

        self.target = target
        self._examine = examine
        self._folder = folder
        self._start = self._told = time.monotonic()
        self._sizes: dict[str, int] = {}
        self._runs = 0
        self._slowest = 0.0

    def __call__(self, data: bytes) -> None:
        """Run one input."""
        start = time.process_time()
        failure = self._examine(self.target, data)
        self._runs += 1
        self._slowest = max(self._slowest, time.process_time() - start)
        if failure is not None:
            self._keep(failure, data)
        if time.monotonic() - self._told > _STATUS_EVERY:
            self.tell()

    def _keep(self, failure, data: bytes) -> None:
        signature = failure.signature
        if len(data) >= self._sizes.get(signature, sys.maxsize):
            return
        small = minimised(data, lambda d: self._same(d, signature))
        self._sizes[signature] = len(small)
        name = hashlib.sha256(signature.encode()).hexdigest()[:12]
        (self._folder / f"{name}.bin").write_bytes(small)
        text = f"{signature}\n\n{small[:2000]!r}\n\n{failure.trace}"
        (self._folder / f"{name}.txt").write_text(text, errors="replace")
        self.tell()

    def _same(self, data: bytes, signature: str) -> bool:
        failure = self._examine(self.target, data)
        return failure is not None and failure.signature == signature

    def tell(self) -> None:
        """Write down how far the run is."""
        self._told = time.monotonic()
        status = {
            "seconds": round(self._told - self._start, 1),
            "runs": self._runs,
            "slowest_input_s": round(self._slowest, 3),
            "failures": sorted(self._sizes),
        }
        (self._folder / "status.json").write_text(json.dumps(status))


def minimised(data: bytes, fails, seconds: float = 20.0) -> bytes:
    """Return a shorter input that still fails, by leaving out ever smaller parts."""
    end = time.monotonic() + seconds
    size = len(data) // 2
    while size and time.monotonic() < end:
        at = 0
        while at < len(data) and time.monotonic() < end:
            shorter = data[:at] + data[at + size :]
            if fails(shorter):
                data = shorter
            else:
                at += size
        size //= 2
    return data


def fuzz(name: str, folder: Path, seconds: float, extra: list[Path]) -> None:
    """Fuzz one target in this process; with atheris the process ends here."""
    sys.path[:0] = _FOLDERS
    guided = importlib.util.find_spec("atheris") is not None
    with contextlib.ExitStack() as stack:
        if guided:
            import atheris

            # modules are imported when they are first used: the hook stays
            stack.enter_context(atheris.instrument_imports(include=["pyrave"]))
            stack.pop_all()
        from targets import find_target

        import pyrave
    warnings.simplefilter("error")
    # of what is wrong with an input that loads; the log has it
    warnings.simplefilter("ignore", pyrave.SceneWarning)
    target = find_target(name)
    record = Recorder(target, folder)
    _bound_memory()
    given = [path.read_bytes() for path in extra]
    if guided:
        _guided(record, folder, seconds, given)
    else:
        _random(record, seconds, given)
    record.tell()


def _bound_memory() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


def _random(record: Recorder, seconds: float, given: list[bytes]) -> None:
    rng = random.Random()  # noqa: S311 - no secrets
    pool = [*record.target.seeds, *given] or [b""]
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        data = rng.choice(pool)
        for _ in range(rng.choice((1, 1, 2, 4, 8))):
            data = record.target.mutate(data, rng, record.target.words)
        record(data)


def _guided(record: Recorder, folder: Path, seconds: float, given: list[bytes]) -> None:
    import atheris

    target = record.target

    def mutate(data: bytes, max_size: int, seed: int) -> bytes:
        rng = random.Random(seed)  # noqa: S311 - no secrets
        return target.mutate(data, rng, target.words)[:max_size]

    corpus = folder / "corpus"
    corpus.mkdir(exist_ok=True)
    for data in (*target.seeds, *given):
        (corpus / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)
    options = (
        *(f"-max_total_time={int(seconds)}", "-max_len=65536", "-timeout=120"),
        *(f"-rss_limit_mb={_MEMORY >> 20}", "-verbosity=0", "-print_final_stats=0"),
        f"-artifact_prefix={folder}/",
    )
    atheris.Setup(["run", *options, str(corpus)], record, custom_mutator=mutate)
    atheris.Fuzz()


def _chosen(names: list[str]) -> list[str]:
    sys.path[:0] = _FOLDERS
    from targets import targets

    known = [target.name for target in targets()]
    unknown = set(names) - set(known)
    if unknown:
        sys.exit(f"no target is named {', '.join(unknown)}; known: {', '.join(known)}")
    return names or known


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=1.0, help="for each target")
    parser.add_argument(
        "--target", action="append", default=[], help="repeatable; default: all"
    )
    parser.add_argument("--folder", type=Path, default=Path(".fuzz"))
    parser.add_argument(
        "--seeds", type=Path, help="folder of more files to start from", default=None
    )
    parser.add_argument("--glob", default="**/*", help="which files of --seeds")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    extra = []
    if options.seeds is not None:
        extra = [p for p in sorted(options.seeds.glob(options.glob)) if p.is_file()]
    seconds = 60.0 * options.minutes
    if options.child:
        fuzz(options.child, options.folder, seconds, extra)
        return
    found = {}
    for name in _chosen(options.target):
        folder = options.folder.absolute() / name
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, __file__, "--child", name, "--folder", str(folder)]
        command += ["--minutes", str(options.minutes), "--glob", options.glob]
        if options.seeds is not None:
            command += ["--seeds", str(options.seeds)]
        log = folder / "log.txt"
        with log.open("w") as stream:
            status = subprocess.run(
                command,
                check=False,
                stdout=stream,
                stderr=stream,
                cwd=folder,
                env={**os.environ, **_VARIABLES},
            ).returncode
        told = folder / "status.json"
        found[name] = json.loads(told.read_text()) if told.exists() else {}
        found[name]["exit_status"] = status
        print(json.dumps({name: found[name]}), flush=True)
    failed = [n for n, f in found.items() if f.get("failures") or f["exit_status"]]
    print(json.dumps({"targets": len(found), "failed": failed}, indent=2))
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()

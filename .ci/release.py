"""Makes a release: changelog, tag, sdists and wheels, tried in an empty environment.

``python .ci/release.py 0.2.0 --dry-run`` does all of it in a clone, and changes nothing
here. Without ``--dry-run`` the commit and its tag come here when all has passed.
docs/contributing/releasing.md says what is done before and after.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from packaging.version import InvalidVersion, Version

ROOT = Path(__file__).resolve().parents[1]
PROJECTS = ("pyproject.toml", "compat/pyproject.toml")
_WHO = ("user.name", "user.email")
_FALLBACK = re.compile(r'^fallback-version = "(.*)"$', re.MULTILINE)


def main(arguments: Sequence[str] | None = None) -> None:
    """Make a release, or try how it would go."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("version", help="for example 0.2.0")
    parser.add_argument("--dry-run", action="store_true", help="change nothing here")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="empty folder")
    parser.add_argument(
        "--pure", action="store_true", help="no wheel with machine code (10 minutes)"
    )
    given = parser.parse_args(arguments)
    check(ROOT, given.version, given.out)
    with tempfile.TemporaryDirectory(prefix="pyrave-release-") as folder:
        clone = Path(folder) / "pyrave"
        make_commit(ROOT, clone, given.version)
        build(clone, given.out, machine_code=not given.pure)
        python = install(given.out, Path(folder), given.version)
        if not given.pure:
            compare(python, given.out, Path(folder))
        if not given.dry_run:
            take_over(ROOT, clone, given.version)
    tell(given.out, given.version, is_made=not given.dry_run)


def check(root: Path, version: str, out: Path) -> None:
    """End the process if a version cannot be made of a tree.

    Raises
    ------
    SystemExit
        It says what is wrong.
    """
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        sys.exit(f"the version is {version!r}, expected three numbers such as 0.2.0")
    if changed := run("git", "status", "--porcelain", cwd=root):
        sys.exit(f"{root} has changes, commit or remove them:\n{changed}")
    tags = run("git", "tag", "--list", "v*", cwd=root).split()
    newest = max((made for tag in tags if (made := _parsed(tag))), default=None)
    if newest is not None and Version(version) <= newest:
        sys.exit(f"version {version} is not above {newest}, which has a tag")
    for name in PROJECTS:
        coming = Version(_FALLBACK.search((root / name).read_text("utf-8"))[1])
        if Version(version) < Version(coming.base_version):
            sys.exit(
                f"version {version} is below {coming.base_version}, which {name} says "
                "comes next (fallback-version)"
            )
    if not changes(root):
        sys.exit(f"{root / 'docs/changes'} is empty: there is nothing to release")
    if out.exists() and any(out.iterdir()):
        sys.exit(f"{out} is not empty: remove what is there, or choose another --out")


def changes(root: Path) -> list[Path]:
    """Return the files of what changed since the last version."""
    return sorted((root / "docs" / "changes").glob("+*.md"))


def make_commit(root: Path, clone: Path, version: str) -> None:
    """Clone a tree and commit the changelog of a version there, with its tag."""
    step(f"changelog and tag of {version}, in a clone")
    run("git", "clone", "--quiet", str(root), str(clone), cwd=root)
    date = datetime.now(UTC).date().isoformat()
    towncrier = (sys.executable, "-m", "towncrier", "build", "--yes")
    run(*towncrier, "--version", version, "--date", date, cwd=clone)
    major, minor, patch = version.split(".")
    coming = f'fallback-version = "{major}.{minor}.{int(patch) + 1}.dev0"'
    for name in PROJECTS:
        text = (clone / name).read_text("utf-8")
        (clone / name).write_text(_FALLBACK.sub(coming, text), "utf-8")
    who = [f"{key}={run('git', 'config', key, cwd=root).strip()}" for key in _WHO]
    git = ("git", "-c", who[0], "-c", who[1])
    run(*git, "commit", "--quiet", "--all", "--message", f"pyrave {version}", cwd=clone)
    run(*git, "tag", "--annotate", "--message", version, f"v{version}", cwd=clone)
    print(run("git", "show", "--stat", "--format=%h %s", cwd=clone))


def build(tree: Path, out: Path, *, machine_code: bool) -> None:
    """Build sdists, and wheels of them, of both distributions."""
    step("sdists and wheels" + ", one of them with machine code" * machine_code)
    command = (sys.executable, "-m", "build", "--outdir", str(out.absolute()))
    asked = {"HATCH_BUILD_HOOK_ENABLE_CUSTOM": str(machine_code).lower()}
    for folder in (tree, tree / "compat"):
        run(*command, str(folder), cwd=tree, **asked)
    print(*sorted(file.name for file in out.iterdir()), sep="\n")


def install(out: Path, folder: Path, version: str) -> Path:
    """Return the Python of an empty environment in which the wheels work."""
    step("the wheels in an empty environment")
    home = folder / "environment"
    run(sys.executable, "-m", "venv", str(home), cwd=folder)
    place = home / ("Scripts" if os.name == "nt" else "bin")
    python = place / Path(sys.executable).name
    wheels = sorted(str(file.absolute()) for file in out.glob("*-none-any.whl"))
    run(str(python), "-m", "pip", "install", "--quiet", *wheels, cwd=folder)
    os.environ["PYRAVE_CACHE_DIR"] = str(folder / "cache")
    os.environ["PYRAVE_COMPILE"] = "session"  # nothing goes on when it has ended
    said = run(str(place / "pyrave"), "--version", cwd=folder)
    if said != f"pyrave {version}\n":
        sys.exit(f"the wheel says {said.strip()!r}, expected 'pyrave {version}'")
    run(str(place / "pyrave"), "demo", "--out", str(folder / "demo"), cwd=folder)
    run(str(python), "-c", "import openravepy; openravepy.Environment", cwd=folder)
    print(f"{said}the demo runs, openravepy is found")
    return python


def compare(python: Path, out: Path, folder: Path) -> None:
    """Refuse a wheel whose demo compiles, or whose answers are not the pure one's.

    Raises
    ------
    SystemExit
        It says what was compiled, or which answers differ.
    """
    step("the wheel with machine code answers as the pure one, bit for bit")
    (pure,) = out.absolute().glob("pyrave-*-none-any.whl")
    (brought,) = set(out.absolute().glob("pyrave-*.whl")) - {pure}
    pip = (str(python), "-m", "pip", "install", "--quiet")
    answers = (str(python), str(ROOT / ".ci" / "answers.py"))
    run(*pip, f"{pure}[physics]", cwd=folder)
    run(*answers, "pure.npz", cwd=folder, PYRAVE_COMPILE="foreground")
    run(*pip, "--no-deps", "--force-reinstall", str(brought), cwd=folder)
    empty = folder / "empty"
    demo = (str(python), "-m", "pyrave", "demo", "--out", "brought")
    run(*demo, cwd=folder, PYRAVE_CACHE_DIR=str(empty))
    if compiled := sorted(file.name for file in empty.rglob("*.code")):
        sys.exit(f"{brought.name} does not bring the machine code of {compiled}")
    like = ("brought.npz", "--like", "pure.npz")
    print(run(*answers, *like, cwd=folder, PYRAVE_CACHE_DIR=str(empty)))


def take_over(root: Path, clone: Path, version: str) -> None:
    """Bring the commit and its tag from the clone."""
    run("git", "fetch", "--quiet", str(clone), "tag", f"v{version}", cwd=root)
    run("git", "merge", "--quiet", "--ff-only", f"v{version}", cwd=root)


def tell(out: Path, version: str, *, is_made: bool) -> None:
    """Print what is to be uploaded, and how."""
    files = sorted(file for file in out.iterdir() if file.suffix in {".whl", ".gz"})
    step("what is to be uploaded")
    for file in files:
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        print(f"{file.name}  {file.stat().st_size / 1e6:.1f} MB  sha256 {digest}")
    if not is_made:
        print("this was a dry run: nothing is committed, nothing has a tag")
        return
    print(f"\ngit push --atomic origin HEAD v{version}")
    upload = "python -m twine upload --repository-url URL"
    print(upload, *(str(file) for file in files))


def step(text: str) -> None:
    """Print what comes now."""
    print(f"\n== {text}", flush=True)


def run(*command: str, cwd: Path, **variables: str) -> str:
    """Run a command, with some variables set, and return what it prints.

    Raises
    ------
    SystemExit
        It fails; what it said is printed.
    """
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **variables},
        check=False,
        capture_output=True,
        encoding="utf-8",
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def _parsed(tag: str) -> Version | None:
    try:
        return Version(tag)
    except InvalidVersion:
        return None


if __name__ == "__main__":
    main()

"""Finds and runs the code of Markdown pages.

What counts as code of a page, in order:

* a ``python`` fence is executed; the fences of one page share a namespace. A comment
  ``# -> text`` after or behind a statement is what it shows (the repr of its value,
  or what it prints; ``...`` stands for anything), ``# raises Name: text`` says that
  it raises, ``# warns: text`` that it warns;
* a ``console`` fence holds lines ``$ command``; lines below are what it shows, in
  order, lines may be left out. ``# exit code N`` behind a command is expected. Of
  ``pip`` lines only those that install a project of the page do something: its
  metadata is written as pip would, or pip runs if ``PYRAVE_DOCS_INSTALL`` is 1;
* a ``{code-block}`` with a ``:caption:`` that is a file name is written to that file.
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import io
import logging
import os
import re
import shlex
import subprocess
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

_FENCE = re.compile(r"^( *)(`{3,}|:{3,})(.*)$")
_CAPTION = re.compile(r"^:caption: *`?([^`\s]+)`?$", re.MULTILINE)
_RAISES = re.compile(r"raises (\w+)(?:: ?(.*))?$", re.DOTALL)
_WARNS = re.compile(r"warns: (.*)$", re.DOTALL)
_EXIT = re.compile(r"\s+# exit code (\d+)$")
_OF_SHELLS = re.compile(r"[|><&;$*~`]")
# commands that go on, or look at what a process of their own has
_IN_PROCESSES = frozenset(
    {"check-plugin", "doctor", "openrave", "serve", "view", "warm"}
)


@dataclass(frozen=True)
class Block:
    """One fence of a page."""

    kind: str
    text: str
    line: int
    caption: str = ""


@dataclass
class Session:
    """What the blocks of one page share."""

    folder: Path
    install: Callable[[Path], None]
    namespace: dict[str, object] = field(default_factory=lambda: {"__name__": "page"})
    environment: dict[str, str] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)


def blocks_of(text: str) -> Iterator[Block]:
    """Yield the fences of a page that are code or files."""
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        opening = _FENCE.match(lines[at])
        at += 1
        if opening is None:
            continue
        indent, fence, info = opening.groups()
        start = at
        while at < len(lines) and lines[at].strip() != fence:
            at += 1
        body = [line.removeprefix(indent) for line in lines[start:at]]
        at += 1
        info = info.strip()
        if fence[0] == ":":  # a container: look inside
            yield from (
                Block(b.kind, b.text, b.line + start, b.caption)
                for b in blocks_of("\n".join(body))
            )
        elif info in {"python", "console"}:
            yield Block(info, "\n".join(body) + "\n", start)
        elif info.startswith("{code-block}"):
            caption = _CAPTION.search("\n".join(body))
            if caption is not None:
                content = [line for line in body if not _is_option(line)]
                text_ = "\n".join(content).strip("\n") + "\n"
                yield Block("file", text_, start, caption[1])


def _is_option(line: str) -> bool:
    return re.match(r"^:[a-z-]+:( |$)", line) is not None


def run_block(block: Block, session: Session) -> None:
    """Run one block; an AssertionError says what the page promises wrongly."""
    if block.kind == "file":
        target = session.folder / block.caption
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(block.text, encoding="utf-8")
    elif block.kind == "console":
        _run_console(block, session)
    else:
        _run_python(block, session)


# -- python ----------------------------------------------------------------------------


def _run_python(block: Block, session: Session) -> None:
    tree = ast.parse(block.text)
    lines = block.text.splitlines()
    for number, statement in enumerate(tree.body):
        after = (
            tree.body[number + 1].lineno - 1
            if number + 1 < len(tree.body)
            else len(lines)
        )
        expected = promise_of(lines, statement, after)
        where = f"line {block.line + statement.lineno}"
        warns = _WARNS.match(expected) if expected else None
        with warnings.catch_warnings(record=True) if warns else nullcontext([]) as told:
            if warns:
                warnings.simplefilter("always")
            shown, error = _execute(statement, session, where)
        if warns:
            expected, shown = warns[1], "".join(f"{one.message}\n" for one in told)
        _compare(where, shown, error, expected)


def promise_of(lines: list[str], statement: ast.stmt, after: int) -> str | None:
    """Return what the comments behind and below a statement promise."""
    end = statement.end_lineno or statement.lineno
    behind = lines[end - 1][statement.end_col_offset or 0 :].strip()
    below = [line.strip() for line in lines[end:after]]
    for first, rest in ((behind, below), ("", below)):
        comments = [c for c in (first, *rest) if c]
        if comments and re.match(r"# (->|raises |warns: )", comments[0]):
            head = comments[0].removeprefix("# ").removeprefix("->").strip()
            more = []
            for comment in comments[1:]:
                if not comment.startswith("#"):
                    break
                more.append(comment.removeprefix("#").strip())
            return "\n".join([head, *more])
        if first:
            return None
    return None


def _execute(
    statement: ast.stmt, session: Session, where: str
) -> tuple[str, Exception | None]:
    stream = io.StringIO()
    value: object = None
    error: Exception | None = None
    with contextlib.redirect_stdout(stream):
        try:
            if isinstance(statement, ast.Expr):
                code = compile(ast.Expression(statement.value), where, "eval")
                value = eval(code, session.namespace)  # noqa: S307 - our own pages
            else:
                module = ast.Module([statement], [])
                exec(compile(module, where, "exec"), session.namespace)  # noqa: S102
        except Exception as raised:  # noqa: BLE001 - pages may show any exception
            error = raised
    shown = stream.getvalue()
    if value is not None:
        shown += f"{value!r}\n"
    return shown, error


def _compare(
    where: str, shown: str, error: Exception | None, expected: str | None
) -> None:
    raises = _RAISES.match(expected) if expected else None
    if raises is None:
        if error is not None:
            raise error
        if expected is not None:
            assert matches(expected, shown), (
                f"{where} shows\n{shown}\nthe page says\n{expected}"
            )
        return
    assert error is not None, f"{where} raises nothing, the page says {expected}"
    kinds = [kind.__name__ for kind in type(error).__mro__]
    assert raises[1] in kinds, f"{where} raises {error!r}, the page says {expected}"
    if raises[2]:
        assert matches(raises[2], str(error)), (
            f"{where} raises\n{error}\nthe page says\n{raises[2]}"
        )


def matches(expected: str, shown: str) -> bool:
    """Compare without regard to blanks; ``...`` stands for anything."""
    # numpy 2 names the types of its scalars; readers do not care
    shown = re.sub(r"np\.\w+\(([-\w.+]+)\)", r"\1", shown)
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    checker = doctest.OutputChecker()
    return checker.check_output(expected.strip() + "\n", shown.strip() + "\n", options)


# -- console ---------------------------------------------------------------------------


def _run_console(block: Block, session: Session) -> None:
    command, expected = "", []
    for line in [*block.text.splitlines(), "$ "]:
        if line.startswith("$ "):
            if command:
                _run_command(command, expected, session, f"line {block.line}")
            command, expected = line[2:].strip(), []
        elif command.endswith("\\"):
            command = command[:-1] + line.strip()
        else:
            expected.append(line)


def _run_command(
    command: str, expected: list[str], session: Session, where: str
) -> None:
    wanted = _EXIT.search(command)
    command = _EXIT.sub("", command)
    if command.startswith("cd "):
        session.folder = (session.folder / command[3:].strip()).resolve()
        os.chdir(session.folder)
        return
    if re.match(r"pip |python -m (pip|venv) ", command):
        session.skipped.append(command)
        project = re.fullmatch(r"pip install (?:-e )?(\.\S*)", command)
        if project is not None:
            target = (session.folder / project[1]).resolve()
            if (target / "pyproject.toml").is_file():  # else pyrave itself
                session.install(target)
        return
    code, shown = _outcome(command, session)
    expected_code = int(wanted[1]) if wanted else 0
    assert code == expected_code, (
        f"{where}: `{command}` ends with {code}, expected {expected_code}\n{shown}"
    )
    rest = [" ".join(line.split()) for line in shown.splitlines()]
    for line in expected:
        if not line.strip() or line.strip() == "...":
            continue
        while rest and not matches(line, rest[0]):
            rest.pop(0)
        assert rest, f"{where}: `{command}` does not show\n{line}\nbut\n{shown}"
        rest.pop(0)


def _outcome(command: str, session: Session) -> tuple[int, str]:
    """Return how a command ends, and what it shows.

    Most of those of pyrave run here, where it has been imported; tests of the command
    line start processes.
    """
    words = shlex.split(command)
    if (
        words[:1] == ["pyrave"]
        and words[1] not in _IN_PROCESSES
        and not session.environment
        and not _OF_SHELLS.search(command)
    ):
        return _called(words[1:])
    folder = str(Path(sys.executable).parent)
    environment = {
        **os.environ,
        "PATH": folder + os.pathsep + os.environ.get("PATH", ""),
        "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
        "COLUMNS": "160",
        **session.environment,
    }
    done = subprocess.run(  # noqa: S602 - our own pages
        command,
        shell=True,
        cwd=session.folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stderr + done.stdout


def _called(words: list[str]) -> tuple[int, str]:
    """Call the command with words; the log is as it was afterwards."""
    from pyrave.cli import main
    from pyrave.cli.options import session as chosen

    log = logging.getLogger("pyrave")
    handlers, level, columns = [*log.handlers], log.level, os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "160"
    error, out = io.StringIO(), io.StringIO()
    try:
        with contextlib.redirect_stderr(error), contextlib.redirect_stdout(out):
            code = main(words)
    finally:
        log.handlers[:] = handlers
        log.setLevel(level)
        chosen.verbosity = 0
        if columns is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = columns
    return code, error.getvalue() + out.getvalue()


# -- installing ------------------------------------------------------------------------


def install(project: Path, target: Path) -> list[Path]:
    """Install a project of a page; return folders to import from."""
    if os.environ.get("PYRAVE_DOCS_INSTALL") != "1":
        return write_metadata(project, target)
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
    subprocess.run([*command, "--target", str(target), str(project)], check=True)
    return [target]


def write_metadata(project: Path, target: Path) -> list[Path]:
    """Write what pip would: metadata with entry points; return folders to import from.

    Good for projects whose metadata is static, in ``pyproject.toml``.
    """
    import tomllib

    data = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))
    meta = data["project"]
    name, version = meta["name"], meta.get("version", "0")
    info = target / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    requires = "".join(f"Requires-Dist: {r}\n" for r in meta.get("dependencies", ()))
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{requires}",
        encoding="utf-8",
    )
    entries = [
        textwrap.dedent(f"[{group}]\n")
        + "".join(f"{key} = {value}\n" for key, value in points.items())
        for group, points in meta.get("entry-points", {}).items()
    ]
    (info / "entry_points.txt").write_text("\n".join(entries), encoding="utf-8")
    source = project / "src"
    return [target, source if source.is_dir() else project]

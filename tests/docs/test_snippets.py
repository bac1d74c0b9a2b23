"""Every snippet of the documentation and the README runs and shows what it says."""

from __future__ import annotations

import importlib
import importlib.util
import logging
import re
import runpy
import sys
from pathlib import Path

import pytest

_HERE = Path(__file__).parent
_ROOT = _HERE.parents[1]
_DOCS = _ROOT / "docs"

_spec = importlib.util.spec_from_file_location("_docs_snippets", _HERE / "snippets.py")
snippets = importlib.util.module_from_spec(_spec)
sys.modules[_spec.name] = snippets
_spec.loader.exec_module(snippets)

PAGES = sorted(
    page
    for page in [*_DOCS.rglob("*.md"), _ROOT / "README.md", _ROOT / "CONTRIBUTING.md"]
    if not {"_build", "changes"} & set(page.parts)
)
_TUTORIAL = _DOCS / "tutorial"
CHAPTERS = re.findall(
    r"^[a-z]+$",
    (_TUTORIAL / "index.md").read_text("utf-8").partition("{toctree}")[2],
    re.MULTILINE,
)
# pages whose consoles start processes
CASES = [
    pytest.param(
        page,
        id=str(page.relative_to(_ROOT)),
        marks=[pytest.mark.slow] if "```console" in page.read_text("utf-8") else [],
    )
    for page in PAGES
    if page.stem not in CHAPTERS or page.parent != _TUTORIAL
]
EXAMPLES = sorted((_DOCS / "examples").glob("*.py"))


@pytest.fixture
def session(tmp_path, monkeypatch):
    """A fresh folder and a fresh look at what is installed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("PYRAVE_DATABASE", str(tmp_path / "databases"))
    before = set(sys.modules)

    def install(project):
        for folder in snippets.install(project, tmp_path / "site-packages"):
            monkeypatch.syspath_prepend(str(folder))
        importlib.invalidate_caches()
        monkeypatch.setattr("pyrave.plugins.registry._default", [])

    monkeypatch.setattr("pyrave.plugins.registry._default", [])
    yield snippets.Session(tmp_path, install)
    for name in set(sys.modules) - before:
        file = getattr(sys.modules[name], "__file__", None) or ""
        if file.startswith(str(tmp_path)):
            del sys.modules[name]
    for name, logger in logging.root.manager.loggerDict.items():
        if name.startswith("pyrave") and isinstance(logger, logging.Logger):
            logger.setLevel(logging.NOTSET)


@pytest.mark.parametrize("page", CASES)
def test_page(page, session):
    _run(page, session)


@pytest.mark.slow
def test_tutorial(session):
    """Its chapters go on with the files of those before."""
    assert {path.stem for path in _TUTORIAL.glob("*.md")} == {"index", *CHAPTERS}
    for chapter in CHAPTERS:
        session.namespace = {"__name__": "page"}
        _run(_TUTORIAL / f"{chapter}.md", session)


def _run(page, session):
    for block in snippets.blocks_of(page.read_text(encoding="utf-8")):
        try:
            snippets.run_block(block, session)
        except Exception as error:
            error.add_note(f"in {page.relative_to(_ROOT)}, block at line {block.line}")
            raise


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda p: p.name)
def test_example(example, session, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("PYRAVE_DATABASE", str(tmp_path / "databases"))
    monkeypatch.setattr(sys, "argv", [str(example)])
    runpy.run_path(str(example), run_name="__main__")
    assert capsys.readouterr().out.strip(), "an example says what it did"


def test_pages_and_examples_are_found():
    names = {page.name for page in PAGES}
    assert {"README.md", "index.md", "robot.md", "concepts.md"} <= names
    assert EXAMPLES


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "wrong"),
    [
        ("```python\n1 + 1  # -> 3\n```\n", "shows"),
        ("```python\nprint('a')\n# -> b\n```\n", "shows"),
        ("```python\nx = 1  # raises ValueError\n```\n", "raises nothing"),
        ("```python\nint('a')  # raises TypeError\n```\n", "raises ValueError"),
        ("```python\nint('1')  # warns: a\n```\n", "shows"),
        ("```console\n$ echo a\nb\n```\n", "does not show"),
        ("```console\n$ exit 3\n```\n", "ends with 3"),
    ],
)
def test_a_wrong_page_is_found_out(page, wrong, session):
    (block,) = snippets.blocks_of(page)
    with pytest.raises(AssertionError, match=wrong):
        snippets.run_block(block, session)


@pytest.mark.slow
def test_a_right_page_passes(session):
    page = (
        "```{code-block} text\n:caption: a/b.txt\n\nhello\n```\n"
        "```python\nimport pathlib\n"
        "pathlib.Path('a/b.txt').read_text()  # -> 'hello\\n'\n"
        "for i in range(2):\n    print(i)\n# -> 0\n#    1\n```\n"
        "```console\n$ cat a/b.txt\nhel...\n$ exit 3  # exit code 3\n```\n"
        "```python\nint('a')  # raises ValueError: invalid ...\n"
        "import warnings\nwarnings.warn('too late')\n# warns: ... late\n```\n"
    )
    blocks = list(snippets.blocks_of(page))
    assert [block.kind for block in blocks] == ["file", "python", "console", "python"]
    for block in blocks:
        snippets.run_block(block, session)

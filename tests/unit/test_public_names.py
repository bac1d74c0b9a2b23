"""Names of ``import pyrave``: complete, lazy, light."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import pyrave

SOURCE = ast.parse(Path(pyrave.__file__).read_text(encoding="utf-8"))


def type_checking_imports():
    """Name -> module, as a type checker sees them."""
    (block,) = [
        node
        for node in SOURCE.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    return {alias.name: node.module for node in block.body for alias in node.names}


def test_the_list_is_sorted_and_complete():
    assert list(pyrave.__all__) == sorted(set(pyrave.__all__))
    expected = {*type_checking_imports(), "__version__"}
    assert set(pyrave.__all__) == expected


def test_each_name_resolves_to_what_type_checkers_see():
    homes = type_checking_imports()
    for name in pyrave.__all__:
        value = getattr(pyrave, name)
        if name in homes:
            home = importlib.import_module(homes[name])
            assert value is getattr(home, name), name


@pytest.mark.parametrize(
    "package",
    [
        "bodies",
        "environment",
        "geometry",
        "ik",
        "interfaces",
        "kinematics",
        "plugins",
        "scene",
        "sensing",
        "trajectories",
        "world",
    ],
)
def test_the_lists_of_rooms_resolve(package):
    module = importlib.import_module(f"pyrave.{package}")
    for name in module.__all__:
        assert getattr(module, name) is not None


def test_no_module_hides_a_name_that_is_imported_late():
    """Importing a module puts it into its package, in place of such a name."""
    root = Path(pyrave.__file__).parent
    late = 0
    for path in (root / "__init__.py", *root.rglob("*/__init__.py")):
        name = ".".join((root.name, *path.parent.relative_to(root).parts))
        package = importlib.import_module(name)
        if not hasattr(package, "__getattr__"):
            continue
        late += 1
        modules = {one.stem for one in path.parent.glob("*.py")}
        rooms = {one.parent.name for one in path.parent.glob("*/__init__.py")}
        assert not (modules | rooms) & set(getattr(package, "__all__", ())), name
    assert late > 1


def test_all_errors_and_all_thirteen_bases_are_there():
    from pyrave import errors
    from pyrave.interfaces import INTERFACE_TYPES
    from pyrave.plugins.contracts import interface_base

    kinds = {n for n in errors.__all__ if isinstance(getattr(errors, n), type)}
    assert kinds - {"PluginGuard"} <= set(pyrave.__all__)
    assert len(INTERFACE_TYPES) == 13
    for kind in INTERFACE_TYPES:
        assert interface_base(kind).__name__ in pyrave.__all__


@pytest.mark.slow
def test_dir_lists_what_is_not_imported_yet():
    code = "import pyrave; print('Environment' in dir(pyrave), 'load' in dir(pyrave))"
    assert run(code) == "True True"


@pytest.mark.parametrize(
    "package", ["", ".bodies", ".ik", ".interfaces", ".sensing", ".trajectories"]
)
def test_dir_lists_all(package):
    module = importlib.import_module(f"pyrave{package}")
    assert set(module.__all__) <= set(dir(module))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Enviroment'"):
        _ = pyrave.Enviroment


def run(code):
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.mark.slow
def test_import_is_light():
    code = (
        "import sys, pyrave; "
        "print([m for m in ('numba', 'lxml', 'pluggy', 'rich', 'cyclopts', 'scipy',"
        " 'logging', 'numpy', 'pyrave_base', 'pyrave_sensors') if m in sys.modules])"
    )
    assert run(code) == "[]"


@pytest.mark.slow
def test_an_environment_that_steps_needs_no_compiler():
    code = (
        "import sys, pyrave; env = pyrave.Environment(); env.step(0.01); "
        "print([m for m in ('numba', 'lxml', 'scipy') if m in sys.modules])"
    )
    assert run(code) == "[]"


def test_the_version_is_that_of_the_distribution():
    from importlib.metadata import version

    assert pyrave.__version__ == version("pyrave")

"""The order of rooms, what may be imported where, and how long files are."""

from __future__ import annotations

import ast
import functools
import importlib
import json
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

from pyrave.interfaces import INTERFACE_TYPES

ROOT = Path(__file__).parents[2]
CORE = ROOT / "core"
PLUGINS = ROOT / "plugins"

# each room imports only rooms of its own or a smaller number
# base classes come before the generic bodies, which are made of them: a base class
# names bodies in annotations only
ROOMS = {
    "texts": 0,
    "near_names": 0,
    "errors": 0,
    "openrave_names": 0,
    "argument_names": 0,
    "attributes": 0.1,
    "files": 0,
    "former_names": 0,
    "records": 0,
    "messages": 0,
    "spatial": 0,
    "coercion": 0.2,
    "batches": 0,
    "cards": 0,
    "jit": 0,
    "simd": 0,
    "plots": 0.5,
    "_collector": 0,
    "_lazy": 0,
    "_version": 0,
    "_rigidity": 0,
    "_ctrl_c": 0,
    "scene": 1,
    "kinematics": 2,
    "geometry": 3,
    "world": 4,
    "ik": 4.2,
    "trajectories": 4.4,
    "sensing": 4.4,
    "interfaces": 4.6,
    "bodies": 4.8,
    "authoring": 5,
    "collision": 5,
    "planning": 5,
    "grasping": 5.1,
    "manipulation": 5.15,
    "databases": 5.17,
    "pictures": 5.2,
    "plugins": 6,
    "formats": 7,
    "environment": 8,
    "summary": 8.5,
    "api": 9,
    "testing": 10,
    "cli": 11,
}
# `plugins` and `formats` tell the registry their own version
FACE = {"__version__"}
# rooms of an environment and its objects, which name each other in annotations
OBJECTS = {
    "authoring", "world", "ik", "trajectories", "sensing", "interfaces", "bodies",
    "planning", "grasping", "databases", "plots", "collision", "pictures", "plugins",
    "environment",
}  # fmt: skip
# third-party package -> where it may be imported, as path prefixes in core/pyrave
OUTSIDE = {
    "numpy": ("",),
    "numba": ("jit/", "simd/compiled.py"),
    "llvmlite": ("jit/",),
    # trajectories are XML of their own, read and written without a scene
    "lxml": ("formats/", "trajectories/xml_input.py"),
    "pluggy": ("plugins/", "formats/"),
    "importlib_metadata": (
        "_version.py",
        "plugins/discovery.py",
        "cli/commands/doctor.py",
    ),
    "packaging": ("plugins/discovery.py", "cli/commands/dev.py"),
    "cyclopts": ("cli/",),
    "rich": ("cli/",),
    "matplotlib": ("plots/",),
    "coacd": ("geometry/convex_decomposition.py",),
    "distributed": ("databases/dask_engine.py",),
    "yaml": ("formats/joint_limits.py",),
    "PIL": ("geometry/texture.py", "geometry/image.py"),
    "imageio_ffmpeg": ("environment/display/videos.py",),
    "ruckig": ("planning/timing/point_to_point.py",),
    "pytest": ("testing/pytest_plugin.py", "testing/contracts/"),
}
INSIDE_OF_NUMBA = {"numba_internals.py", "quick_compiler.py", "quick_reader.py"}
PUBLIC_TO_PLUGINS = {*ROOMS} - {
    "near_names", "argument_names", "batches", "simd", "_collector", "_lazy",
    "_rigidity", "_ctrl_c", "environment", "api", "testing", "cli",
}  # fmt: skip
# what plugins are written against and never make, in annotations alone
NAMED_BY_PLUGINS = {"pyrave.Environment", "pyrave.environment.RayWorld"}
# rooms of a plugin: each imports only rooms that stand before it
PLUGIN_ROOMS = {
    "pyrave_collada": (
        "vocabulary",
        "information",
        "document",
        "reading",
        "writing",
        "animations",
        "hooks",
    ),
    "pyrave_collision": (
        "kernels",
        "convexity",
        "meshes",
        "broad_phase",
        "prepared",
        "configurations",
        "moving_body",
        "native",
        "configuration_cache",
        "cache_checker",
        "hooks",
    ),
    "pyrave_ik": (
        *("kernels", "arm", "methods", "coupled_joints", "solver", "tools", "hooks"),
    ),
    "pyrave_mujoco": (
        "kernels",
        "library",
        "settings",
        "engine_blocks",
        "bodies",
        "geoms",
        "ties",
        "snapshot",
        "builder",
        "scene",
        "transfer",
        "overlaps",
        "damping",
        "weights",
        "unsupported_robots",
        "reports",
        "applied_loads",
        "contacts",
        "engine",
        "hooks",
    ),
    "pyrave_openravepy": (
        *("names", "installation", "api", "coverage", "scripts", "__main__"),
    ),
    "pyrave_sensors": (
        "kernels",
        "settings",
        "tracks",
        "bodies",
        "ranges",
        "optics",
        "joint_encoder",
        "imu",
        "odometry",
        "force6d",
        "tactile",
        "actuator",
        "scene_sensors",
        "laser2d",
        "spinning_laser2d",
        "flash_lidar",
        "multi_beam_lidar",
        "camera",
        "stereo_camera",
        "warm_kernels",
        "hooks",
    ),
    "pyrave_serve": (
        "addresses",
        "event_loop",
        "worker",
        "call_objects",
        "client_slots",
        "served",
        "module",
        "methods",
        "rpc",
        "text",
    ),
    "pyrave_urdf": (
        "vocabulary",
        "packages",
        "robot_packages",
        "reading",
        "writing",
        "extras",
        "hooks",
        "module",
    ),
}
MAX_LINES = {CORE: 600, PLUGINS: 620, ROOT / "tests": 700}  # "about 600"
FACADES = {
    "core/pyrave/environment/environment.py": 900,
    "core/pyrave/bodies/kinbody.py": 900,
    "core/pyrave/bodies/manipulator.py": 900,
    "core/pyrave/bodies/state/model_state.py": 720,
    "core/pyrave/bodies/robot.py": 740,
    # two methods for databases, which others declare
    "core/pyrave/plugins/registry.py": 710,
    # plain functions of rotations and poses, which callers look for in one place
    "core/pyrave/spatial.py": 720,
}


@dataclass(frozen=True)
class Import:
    """One imported module, or name of a package."""

    file: Path
    line: int
    module: str
    typing_only: bool
    late: bool

    def __str__(self):
        return f"{self.file.relative_to(ROOT)}:{self.line} imports {self.module}"


def sources(root):
    ignored = {"__pycache__", "tests"}
    found = sorted(root.rglob("*.py"))
    return [path for path in found if not ignored & {*path.relative_to(root).parts}]


@functools.cache
def tree_of(path):
    """Return the syntax of a file, which several tests walk through."""
    return ast.parse(path.read_text("utf-8"))


def imports_of(path, root):
    """Return all imports of a file, also late ones and those for types."""
    package = path.relative_to(root).with_suffix("").parts
    is_package = package[-1] == "__init__"
    found = []

    def visit(node, typing_only, late):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for child in node.body:
                visit(child, True, late)
            for child in node.orelse:
                visit(child, typing_only, late)
            return
        late = late or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                up = package[: len(package) - node.level + is_package]
                base = ".".join((*up, *filter(None, [node.module])))
            # a name may be a module of the package
            names = [f"{base}.{alias.name}" for alias in node.names]
        elif (
            isinstance(node, ast.Call)
            and getattr(node.func, "attr", getattr(node.func, "id", ""))
            in {"import_module", "__import__"}
            and node.args
            and isinstance(node.args[0], ast.Constant)
        ):
            names = [str(node.args[0].value)]
        found.extend(
            Import(path, node.lineno, name, typing_only, late) for name in names
        )
        for child in ast.iter_child_nodes(node):
            visit(child, typing_only, late)

    visit(tree_of(path), False, False)
    return found


@pytest.fixture(scope="module")
def core_imports():
    return [one for path in sources(CORE) for one in imports_of(path, CORE)]


@pytest.fixture(scope="module")
def plugin_imports():
    return [one for path in sources(PLUGINS) for one in imports_of(path, PLUGINS)]


def room_of(path):
    part = path.relative_to(CORE / "pyrave").parts[0]
    return part.removesuffix(".py")


def home_of(name):
    """Return the room behind `pyrave.name`, which may be a name of the face."""
    import pyrave

    if name in ROOMS:
        return name
    value = getattr(pyrave, name, None)
    return getattr(value, "__module__", "pyrave.").split(".")[1] or None


def test_imports_are_seen(tmp_path):
    """What the tests below rely on: late, typing-only, relative, by a text."""
    folder = tmp_path / "pyrave" / "scene"
    folder.mkdir(parents=True)
    path = folder / "body.py"
    path.write_text(
        "import os.path\n"
        "from . import pose\n"
        "from ..errors import Error\n"
        "if TYPE_CHECKING:\n"
        "    from pyrave.cli import main\n"
        "def late():\n"
        "    import numba\n"
        "    importlib.import_module('lxml.etree')\n"
    )
    found = {one.module: one for one in imports_of(path, tmp_path)}
    assert list(found) == [
        "os.path",
        "pyrave.scene.pose",
        "pyrave.errors.Error",
        "pyrave.cli.main",
        "numba",
        "lxml.etree",
    ]
    assert [name for name, one in found.items() if one.late] == ["numba", "lxml.etree"]
    assert [n for n, one in found.items() if one.typing_only] == ["pyrave.cli.main"]


def test_every_room_is_known():
    found = {room_of(path) for path in sources(CORE)} - {"__init__", "__main__"}
    assert found == set(ROOMS)


def test_rooms_import_only_rooms_above(core_imports):
    wrong = []
    for one in core_imports:
        parts = one.module.split(".")
        own = room_of(one.file)
        if parts[0] != "pyrave" or own in {"__init__", "__main__"}:
            continue
        if len(parts) > 1 and parts[1] in FACE:
            continue
        other = home_of(parts[1]) if len(parts) > 1 else None
        if one.typing_only and {own, other} <= OBJECTS:
            continue
        if other is None or ROOMS[other] > ROOMS[own]:
            wrong.append(f"{one} ({own} may not import {other or 'the face'})")
        elif ROOMS[other] == ROOMS[own] != 0 and other != own:
            wrong.append(str(one))
    assert not wrong, "\n".join(wrong)


def test_core_imports_no_plugin_package(core_imports):
    packages = {path.name for path in PLUGINS.iterdir()} | {"pyrave_environments"}
    wrong = [str(one) for one in core_imports if one.module.split(".")[0] in packages]
    assert not wrong, "\n".join(wrong)


def test_core_imports_only_its_dependencies(core_imports):
    wrong = []
    for one in core_imports:
        top = one.module.split(".")[0]
        if top in {"pyrave", "__future__"} or top in sys.stdlib_module_names:
            continue
        place = one.file.relative_to(CORE / "pyrave").as_posix()
        if not place.startswith(OUTSIDE.get(top, ())):
            wrong.append(str(one))
    assert not wrong, "\n".join(wrong)


def test_numba_is_imported_late(core_imports):
    found = [one for one in core_imports if one.module.split(".")[0] == "numba"]
    assert found
    known = {"compiled.py", *INSIDE_OF_NUMBA}  # which `jit` imports when it compiles
    assert all(one.late or one.typing_only or one.file.name in known for one in found)


def test_three_files_know_the_inside_of_numba(core_imports, plugin_imports):
    """What may change with any release of numba is behind the ceiling on it."""
    inside = re.compile(r"llvmlite\.|numba\.(?!extending\b|types\b)")
    every = core_imports + plugin_imports
    known = {one.file.name for one in every if inside.match(one.module)}
    assert known == INSIDE_OF_NUMBA
    assert re.search(r'"numba>=[\d.]+,<', (ROOT / "pyproject.toml").read_text())


def test_plugins_use_the_public_api_only(plugin_imports):
    wrong = []
    for one in plugin_imports:
        own = one.file.relative_to(PLUGINS).parts[0]
        parts = one.module.split(".")
        if parts[0].startswith("pyrave_") and parts[0] != own:
            wrong.append(f"{one}: plugins do not import each other")
        if parts[0] != "pyrave":
            continue
        if any(part.startswith("_") and part != "__version__" for part in parts):
            wrong.append(f"{one}: it is private")
        elif one.typing_only and one.module in NAMED_BY_PLUGINS:
            continue
        elif len(parts) > 1 and home_of(parts[1]) not in PUBLIC_TO_PLUGINS:
            wrong.append(f"{one}: it is not for plugins")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("plugin", PLUGIN_ROOMS)
def test_rooms_of_plugins_import_only_rooms_above(plugin, plugin_imports):
    order, folder = PLUGIN_ROOMS[plugin], PLUGINS / plugin
    rooms = {
        path.relative_to(folder).parts[0].removesuffix(".py")
        for path in sources(folder)
    }
    assert rooms - {"__init__"} == set(order)
    wrong = []
    for one in plugin_imports:
        parts = one.module.split(".")
        if one.file.is_relative_to(folder) and parts[0] == plugin:
            own = one.file.relative_to(folder).parts[0].removesuffix(".py")
            # the package itself gives names of its rooms
            if own != "__init__" and order.index(parts[1]) > order.index(own):
                wrong.append(str(one))
    assert not wrong, "\n".join(wrong)


def module_behind(name, modules, packages):
    """Return the module that an import means: what a package gives has another home."""
    package, _, last = name.rpartition(".")
    if name in modules or package not in packages:
        return name if name in modules else package
    value = getattr(importlib.import_module(package), last, None)
    home = getattr(value, "__module__", None)
    return home if home in modules else package


def circles(root, imports):
    """Return the sets of modules that import each other, also late or for types."""
    paths = [path.relative_to(root).with_suffix("") for path in sources(root)]
    packages = {
        ".".join(path.parent.parts) for path in paths if path.stem == "__init__"
    }
    names = {
        root / path.with_suffix(".py"): ".".join(path.parts).removesuffix(".__init__")
        for path in paths
    }
    below = {name: set() for name in names.values()}
    for one in imports:
        module = module_behind(one.module, below, packages)
        below[names[one.file]] |= {module} & below.keys() - {names[one.file]}
    reached = {}
    for name, others in below.items():
        found, todo = set(), [*others]
        while todo:
            if (other := todo.pop()) not in found:
                found.add(other)
                todo += below[other]
        reached[name] = found
    return {
        frozenset(other for other in reached[name] if name in reached[other])
        for name in below
        if name in reached[name]
    }


def test_modules_of_plugins_import_each_other_in_no_circle(plugin_imports):
    assert not circles(PLUGINS, plugin_imports)


def test_modules_of_the_core_import_each_other_in_no_circle(core_imports):
    """Annotations may: the objects of an environment know each other."""
    assert not circles(CORE, [one for one in core_imports if not one.typing_only])


def test_circles_are_seen(tmp_path):
    (tmp_path / "one.py").write_text("def late():\n    from two import x\n")
    (tmp_path / "two.py").write_text("import three\n")
    (tmp_path / "three.py").write_text("import one\n")
    found = [one for path in sources(tmp_path) for one in imports_of(path, tmp_path)]
    assert circles(tmp_path, found) == {frozenset({"one", "two", "three"})}
    assert not circles(tmp_path, [one for one in found if not one.late])


# modules that others import where they are used, with the libraries that they need
LATE = {
    "pyrave_serve.rpc.http",
    "pyrave_viser.server.guards",
    "pyrave_viser.server.messages",
}


def test_plugins_import_only_their_dependencies(plugin_imports):
    """A library that not everybody has is imported where it is used."""
    base = {"numpy", "pyrave", "lxml"}
    wrong = []
    for one in plugin_imports:
        path = one.file.relative_to(PLUGINS).with_suffix("")
        if one.late or one.typing_only or ".".join(path.parts) in LATE:
            continue
        top = one.module.split(".")[0]
        is_plugin = top.startswith("pyrave_") and not one.module.startswith(tuple(LATE))
        if top not in base | {"__future__", *sys.stdlib_module_names} and not is_plugin:
            wrong.append(str(one))
    assert not wrong, "\n".join(wrong)


def test_no_file_is_long():
    long = {
        name: count
        for root, limit in MAX_LINES.items()
        for path in sources(root)
        if (count := len(path.read_text("utf-8").splitlines()))
        > FACADES.get(name := str(path.relative_to(ROOT)), limit)
    }
    assert not long


def test_nothing_is_swallowed():
    """``except Exception: pass`` is a defect."""
    wrong = []
    for root in (CORE, PLUGINS):
        for path in sources(root):
            for node in ast.walk(tree_of(path)):
                if not isinstance(node, ast.ExceptHandler):
                    continue
                broad = node.type is None or ast.unparse(node.type) in {
                    "Exception",
                    "BaseException",
                }
                silent = all(
                    isinstance(step, (ast.Pass, ast.Continue)) for step in node.body
                )
                if broad and silent:
                    wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert not wrong


HEAVY = ("numba", "lxml", "cyclopts", "rich", "pluggy", "importlib_metadata")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "heavy"),
    [
        ("import pyrave", HEAVY),
        (
            "import pyrave.testing, pyrave.testing.pytest_plugin",
            ("numpy", *HEAVY[:3], "pyrave.interfaces", "pyrave.plugins"),
        ),
        ("import pyrave; pyrave.Environment().step(0.01)", ("numba", "cyclopts")),
    ],
)
def test_what_an_import_loads(script, heavy):
    code = f"import sys, json\n{script}\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    loaded = set(json.loads(done.stdout))
    assert "pyrave" in loaded
    found = loaded & set(heavy)
    assert not found


@pytest.mark.slow
def test_import_loads_no_plugin():
    code = "import sys, pyrave\nprint([m for m in sys.modules if m[:7] == 'pyrave_'])"
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    assert done.stdout.strip() == "[]"


WRITERS = {
    "core/pyrave/files.py",
    "core/pyrave/jit/cache_entries.py",  # the cache, which is nobody's to lose
    "core/pyrave/cli/app.py",  # nowhere
    "core/pyrave/testing/plugin_check.py",  # a temporary folder
}
"""Files that may open others for writing; all else calls `pyrave.files`."""
SAVERS = {"save", "savez", "savez_compressed", "savetxt", "savefig", "tofile", "dump"}


def _opens_for_writing(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if name in {"write_bytes", "write_text"}:
        return True
    if name in SAVERS:
        # into memory, or beside the file whose place it takes
        into = (
            call.args[0].id if call.args and isinstance(call.args[0], ast.Name) else ""
        )
        of_library = isinstance(call.func, ast.Attribute) and ast.unparse(
            call.func.value
        ) in {"np", "numpy", "plot", "json", "pickle"}
        return of_library and into not in {"partial", "stream", "out"}
    if name not in {"open", "fdopen"} and not (
        isinstance(call.func, ast.Name) and call.func.id == "open"
    ):
        return False
    modes = [*call.args, *(word.value for word in call.keywords if word.arg == "mode")]
    return any(
        isinstance(mode, ast.Constant)
        and isinstance(mode.value, str)
        and len(mode.value) <= 3
        and set(mode.value) & set("wax+")
        and set(mode.value) <= set("rwaxbt+")
        for mode in modes
    )


def test_files_of_users_are_written_in_one_way():
    # whole or not at all, also on a full disk
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for folder in (CORE, PLUGINS)
        for path in sources(folder)
        if str(path.relative_to(ROOT)) not in WRITERS
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call) and _opens_for_writing(node)
    ]
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "open('x', 'w')",
        "path.open(mode='ab')",
        "path.write_text('x')",
        "np.savez(target, a=1)",
        "plot.savefig(path)",
    ],
)
def test_other_ways_to_write_are_noticed(line):
    (call,) = [n for n in ast.walk(ast.parse(line)) if isinstance(n, ast.Call)]
    assert _opens_for_writing(call)


# OpenRAVE's own ids, which its XML means where it says none
_OF_OPENRAVE = CORE / "pyrave" / "formats" / "openrave_xml"


def test_core_names_no_plugin():
    """Plugins declare what they serve for; `scene` knows an id of OpenRAVE's."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    groups = project["entry-points"]
    ids = {
        name.lower()
        for kind in INTERFACE_TYPES
        for name, value in groups.get(f"pyrave.{kind}", {}).items()
        if not value.startswith("pyrave.")
        # the root of MJCF files, a library, a class of the same name, a format
    } - {"mujoco", "ruckig", "grasper", "urdf"}
    wrong = [
        f"{path}:{node.lineno} names {node.value}"
        for path in sources(CORE)
        if not path.is_relative_to(_OF_OPENRAVE) and room_of(path) != "scene"
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node.value.lower() in ids
    ]
    assert not wrong, "\n".join(wrong)


def test_the_pages_show_every_room():
    """A name with an underscore in front is a detail."""
    rooms = {room for room in ROOMS if room[0] != "_"} - {"openrave_names"}
    guide = (ROOT / "CONTRIBUTING.md").read_text()
    assert rooms <= set(re.findall(r"[a-z_]+", guide))
    page = (ROOT / "docs" / "contributing" / "architecture.md").read_text()
    heads = re.findall(r"^(.+)\n: ", page.partition("\n## Rooms")[2], re.MULTILINE)
    assert rooms == {n for h in heads for n in h.split(", ")}


def test_the_page_shows_where_things_are():
    """Each file of the table is there, and has in it what the table names after it."""
    page = (ROOT / "docs" / "contributing" / "architecture.md").read_text()
    table = page.partition("\n## Where to look")[2].partition("\n## ")[0]
    found = re.findall(r"`([\w/]+\.py)`(?:: `(\w+)`)?", table)
    assert len(found) > 20
    for name, part in found:
        home = CORE / "pyrave" / name
        home = home if home.exists() else PLUGINS / name
        assert part in home.read_text(), f"{name} has no {part}"

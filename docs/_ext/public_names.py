"""The directive that prints public names: arguments, returns, errors, units, purpose.

``{public-names} Environment`` prints a class and what it has, ``{public-names}
pyrave.planning`` what a package lists, ``{public-names} sensor`` the ids of a type with
their settings, and ``{public-names} files`` the scenes and robots that ship. As a
program it prints everything as Markdown: ``python docs/_ext/public_names.py``.
"""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import functools
import importlib
import inspect
import itertools
import re
import sys
import typing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.pycode import ModuleAnalyzer
from sphinx.util.docutils import SphinxDirective

import pyrave
import pyrave_environments
from pyrave.cards import unlisted_names
from pyrave.environment.files.scene_names import located
from pyrave.formats.resolver import Resolver
from pyrave.interfaces import INTERFACE_TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sphinx.application import Sphinx

_HEAD = ("name", "arguments", "returns", "raises", "units", "what it does")
_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
_UNIT = re.compile(
    r"\b(rad/s[23]?|m/s[23]?|N m s/rad|N m/rad|N s/m|N/m|N m|kg/m3|kg m2|"
    r"radians|degrees(?! of freedom)|metres|seconds|newtons|newton metres|"
    r"kilograms?|kg|pixels|hertz)(?![\w/])"
)
_OPTIONS = (
    "pyrave.planning",
    "pyrave.environment.files",
    "pyrave.bodies.execution",
)
_PACKAGES = ("pyrave", "pyrave.planning", "pyrave.scene")
_RESULTS = {
    "pyrave.bodies": "AffineLimits Execution StateSaver",
    "pyrave.bodies.views.frame": "Frame",
    "pyrave.environment": "EnvironmentSaver",
    "pyrave.environment.display.recorder": "Recorder",
    "pyrave.environment.ray_caster": "WorldHits",
    "pyrave.geometry": "Camera Mesh Picture RayHits",
    "pyrave.interfaces": "Command Control",
    "pyrave.interfaces.collision.report": "CollisionSide",
    "pyrave.interfaces.trajectory": "Motion",
    "pyrave.pictures": "Drawing Drawings",
    "pyrave.planning": "PlanFailure PlanResult PlanStatistics TimedPath",
    "pyrave.plugins": "Registration Registry",
    "pyrave.trajectories.groups": "Group",
    "pyrave.world": "BodyState",
}
"""Classes of what public functions return, by their modules."""
_TYPES = {
    "pyrave.bodies.collision_queries": "CollisionFilter",
    "pyrave.bodies.state.named_values": "JointValues",
    "pyrave.bodies.views.affine_limits": "Quantity",
    "pyrave.environment.files.options": "AnyPath",
    "pyrave.ik.parameterization": "IkTypeLike",
    "pyrave.interfaces.iksolver": "IkFilter IkFinishCallback",
    "pyrave.interfaces.named_bodies": "Bodies",
    "pyrave.scene": (
        "ConstraintKind ContactShape ControlMode ControllerKind PhysicsSensor Shape"
    ),
    "pyrave.scene.body": "JointType",
    "pyrave.scene.pose": "Matrix3 Vec3",
    "pyrave.scene.readable": "ReadableItems",
    "pyrave.spatial": "IndicesLike",
}
"""Names of types in the columns of arguments and results, by their modules."""
_EVERYWHERE: dict[str, str] = {
    "body: KinBody": "The body.",
    "robot: Robot": "The robot.",
    "link: Link": "The link.",
    "joint: Joint": "The joint.",
    "env: Environment": "The environment.",
    "trajectory: TrajectoryBase": "The trajectory.",
    "manipulator: Manipulator": "The arm.",
    "arm: Manipulator": "The arm.",
    "trajectory: TrajectoryBase | Motion": "The trajectory, or any motion over time.",
    "name: str": "The name.",
    "location: Location | None": "Place in the file, None where it is of none.",
    "readables: ReadableItems": "Data of custom XML readers, by id or tag.",
    "commands: tuple[str, ...]": "Commands that are sent after creation.",
    "report: CollisionReport | None": "Filled with what is found, if one is given.",
    "position: ArrayLike": "(3,) point, metres.",
    "interface_type: str": "One of the 13 types.",
    "interface: str": "`Id` or `Id name=value`; empty: the default of the type.",
    "interface_id: str": "The id, without case.",
    "stamp: float": "Simulation time of the measurement, seconds.",
    "pose: Array": "(4, 4) T_world_sensor.",
    "hardware_id: str": "Name of the real device, empty without one.",
    "options: IkFilterOptions": "What counts as a solution.",
    "timeout: float | None": "Seconds, None: no limit.",
    "timeout: float": "Seconds.",
    "spec: ConfigurationSpecification": "Meaning of each number.",
    "spec: ConfigurationSpecification | None": "Meaning of each number; None: its own.",
    "transform: ArrayLike": "(4, 4), in the world.",
    "pose: ArrayLike": "(4, 4), in the world.",
    "state: Any": "What `get_own_state` or `get_state` returned.",
    "q0: ArrayLike | None": "(n_arm,) values to be near to; None: the present ones.",
    "goal: IkParameterization": "The goal, in the world.",
    "free: ArrayLike | None": "(n_free,) of the free joints, 0 to 1; None: any.",
    "seed: int": "The same numbers give the same results.",
    "panel: str": "Title of the panel that it is in.",
    "label: str": "Text beside it.",
    "dt: float": "Seconds.",
    "time: float": "Seconds.",
    "start: float": "Seconds.",
    "end: float": "Seconds.",
    "times: ArrayLike": "(m,) seconds.",
    "**settings: Any": "Settings of what is made from an id.",
    "planner: str | PlannerBase | None": "A planner, its id, or None for the default.",
    "limits: LimitCheck": "What happens beyond limits.",
    "interpolation: str": "Interpolation between waypoints, `linear` for example.",
    "callback: Callable[[Any], object]": "Called with what happened.",
    "function: Callable[..., Any]": "What is called.",
    "tag: str": "Name of the element.",
    "scene: SceneDescription": "The scene.",
    "other: TrajectoryBase": "The other one.",
    "velocities: ArrayLike": "(dof,) rad/s or m/s.",
    "torques: ArrayLike": "(dof,) N m or N.",
    "accelerations: ArrayLike": "(dof,) rad/s2 or m/s2.",
    "configurations: ArrayLike": (
        "(n, dof) values, radians or metres; (n, n_arm) of an arm."
    ),
    "rates: ArrayLike": "(n, dof) velocities, rad/s or m/s.",
    "external: ArrayLike | None": (
        "(n, n_links, 6) forces and torques on links, "
        "N and N m, in the world; None: none."
    ),
    "*args: str": "The words behind the id.",
    "*args: Any": "Its arguments.",
    "**kwargs: Any": "Its arguments by name.",
    "index: int": "Its number, from 0.",
    "dof_index: int": "Number of the degree of freedom.",
    "dof_indices: IndicesLike | None": (
        "Numbers of joints' degrees of freedom; None: all."
    ),
    "dof_indices: IndicesLike": "Numbers of joints' degrees of freedom.",
    "first: Link | str | int": "One link, or its name or number.",
    "last: Link | str | int": "The other link.",
    "second: Link | str | int": "The other link.",
    "link: Link | str | int": "The link, or its name or number.",
    "first: KinBody | Link | str": "One of both.",
    "second: KinBody | Link | str": "The other one.",
    "first: KinBody": "One of both.",
    "second: KinBody": "The other one.",
    "first: Link": "One of both.",
    "second: Link": "The other one.",
    "other: KinBody | Link | str": "The other one, or its name.",
    "other: Mesh": "The other one.",
    "options: int": "Flags, 0 for none.",
    "sensor_type: SensorType": "Kind of measurements; INVALID: the main one.",
    "color: Any": (
        "A name such as `orange`, or (3,) or (4,) red, green, blue, opacity, 0 to 1."
    ),
    "width: int": "Pixels.",
    "height: int": "Pixels.",
    "key: int": "Number of the drawing.",
    "visible: bool": "Whether it is shown.",
    "interval: Interval": "Which ends of the range belong to it.",
    "kind: SampleDataType": "Kind of the numbers.",
    "point: ArrayLike | None": (
        "(3,) world point, metres; None: the origin of the link."
    ),
    "local_point: ArrayLike": "(3,) point in the frame of the link, metres.",
    "origins: ArrayLike": "(n, 3) or (3,) world points where rays begin, metres.",
    "directions: ArrayLike": "(n, 3) directions in the world, of any length.",
    "max_range: ArrayLike": "(n,) or a number, metres.",
    "min_range: ArrayLike": "(n,) or a number, metres.",
    "bodies: Bodies | None": "What can be hit, bodies or their names; None: all.",
    "exclude: Bodies": "What rays pass, bodies or their names.",
    "data: ArrayLike": "(..., dof) configurations of the specification.",
    "data: Array": "(..., dof) configurations of the specification.",
    "description: AttachedSensorDescription": "What a file says of it.",
    "description: GeometryDescription": "What a file says of it.",
    "description: GeometryDescription | ContactDescription": "What a file says of it.",
    "description: JointDescription": "What a file says of it.",
    "description: LinkDescription": "What a file says of it.",
    "description: ManipulatorDescription": "What a file says of it.",
    "description: FrameDescription": "What a file says of it.",
    "description: ConstraintDescription": "The constraint.",
    "forces: Array": "(n, 3) newtons, in the axes of the sensor.",
    "force_covariance: Array": "(3, 3) of each force, N2.",
    "turns: bool": "List solutions on all turns of circular joints, too.",
    "robot: Robot | None": "The robot, None for a space without one.",
    "parameters: PlannerParameters": "The problem.",
    "callback: Callable[[BodyEvent], object]": "Called with the event.",
    "callback: Callable[[BodyChange], Any]": "Called with what changed.",
    "path: str | PathLike[str]": "The file.",
    "rename: bool": "Number names that are taken, instead of raising.",
    "strict: bool": "Warnings are errors.",
    "element: XmlElement": "The tree.",
    "element: Any": "The element.",
    "function: _F | None": "The function below the decorator.",
    "function: Any": "The function below the decorator.",
    "mesh: MeshReference | MeshData": "A mesh file, or vertices and faces.",
    "half_extents: Vec3": "(3,) half lengths along x, y, z, metres.",
    "radius: float": "Metres.",
    "height: float": "Metres.",
    "link: LinkReference": "The link that it is on.",
    "robot: str": "Name of the robot, empty for any.",
    "manipulator: str": "Name of the arm, empty for any.",
    "exact: bool": "Only groups of the same body and joints.",
    "touches: Touches": "Pairs of links with depths, metres.",
    "tolerance: float": "Metres.",
    "first: KinBody | Link": "What is checked.",
    "second: KinBody | Link | None": "What it is checked against; None: everything.",
    "excluded_bodies: Iterable[KinBody]": "Bodies that do not count.",
    "excluded_links: Iterable[Link]": "Links that do not count.",
    "origin: ArrayLike": "(3,) world point, metres.",
    "direction: ArrayLike": "(3,) of any length but 0, in the world.",
    "target: KinBody | Link | None": "What can be hit; None: everything.",
    "target: KinBody | None": "What it is checked against; None: everything.",
    "subject: KinBody | Link": "The body, or one link of it.",
    "rows: Array": "(n, dof) configurations, radians or metres.",
    "environment: bool": "Whether other bodies count.",
    "self_collision: bool": "Whether the body itself counts.",
    "report: bool": "Return what is found in a report, too.",
    "body: KinBody | str": "The body or its name.",
    "body: Any": "The body or its name.",
    "center: ArrayLike": "(3,) in the frame `transform`, metres.",
    "half_extents: ArrayLike": "(3,) along x, y, z, metres.",
    "transform: ArrayLike | None": "(4, 4), None: the world's axes.",
    "indices: IndicesLike | None": "Numbers of joints' degrees of freedom; None: all.",
    "time_derivative: int": "0 values, 1 velocities, 2 accelerations.",
    "delta_time: ArrayLike": "(...) seconds since the configuration before.",
    "poses: ArrayLike": "(n, 4, 4), or (n, 7) quaternions and positions, T_world_tool.",
    "priority: int": "Those of higher priority are called first.",
    "ik_filter: IkFilter": "Called with the solution, the arm and the goal.",
    "callback: IkFinishCallback": "Called with the answer.",
    "solution: Array": "(n_arm,) joint values, radians or metres.",
    "other: Registry": "The other registry.",
    "item: InterfaceBase": "The object.",
    "settings: Mapping[str, Any] | None": "Settings by name.",
    "packages: Collection[str]": "Names of distributions.",
    "**arguments: Any": "Arguments of the hook by name.",
    "*names: str": "Names or patterns.",
    "paths: Iterable[str | os.PathLike[str]]": "Files, folders or modules.",
    "**changes: Any": "New values by name.",
    "help_text: str": "What it does, in place of the docstring.",
}
"""Arguments that mean the same wherever nothing else is said, by name and type."""
_HOMES = {name: home for home, names in _RESULTS.items() for name in names.split()}
_TELLERS = ("pyrave.load", "Environment.save")
"""Functions that tell of arguments for others, before those that come first."""
_ABOVE = {"Exception", "BaseException", "object", "Warning"}
_LONG = 100
"""Characters that a reference to another row has to save."""


@dataclasses.dataclass(frozen=True)
class PublicName:
    """A row of the table.

    Parameters
    ----------
    arguments
        Each with type, default, and what it is.
    """

    name: str
    arguments: tuple[tuple[str, str], ...]
    returns: str
    raises: tuple[str, ...]
    units: tuple[str, ...]
    purpose: str


def owners() -> tuple[str, ...]:
    """Return what there is a table for: packages, classes, interface types, files."""
    kinds = [name for name in pyrave.__all__ if inspect.isclass(getattr(pyrave, name))]
    types = [one for one in INTERFACE_TYPES if public_names(one)]
    return ("types", *_PACKAGES, *kinds, *_HOMES, *types, "files")


@functools.cache
def public_names(owner: str) -> tuple[PublicName, ...]:
    """Return the rows of a class, of a package, of ids of a type, or of files.

    Rows of a class begin with how it is made. What it has from a class that has a table
    of its own stands there.
    """
    if owner == "files":
        return tuple(_files())
    if owner == "types":
        return tuple(_types())
    if owner in INTERFACE_TYPES:
        return tuple(_ids(owner))
    if owner in _PACKAGES:
        module = importlib.import_module(owner)
        found = {name: getattr(module, name) for name in module.__all__}
        if owner == "pyrave":
            found = {k: v for k, v in found.items() if not inspect.isclass(v)}
        if owner == "pyrave.scene":
            found = {k: v for k, v in found.items() if _is_described(v)}
        docs = ModuleAnalyzer.for_module(owner).find_attr_docs()
        texts = {name: " ".join(docs.get(("", name), ())).strip() for name in found}
        return tuple(_row(name, one, texts[name]) for name, one in found.items())
    kind = class_of(owner)
    return (_row(owner, kind, ""), *_members(owner, kind))


def class_of(owner: str) -> type:
    """Return the class that a table is about."""
    home = importlib.import_module(_HOMES.get(owner, "pyrave"))
    kind: type = getattr(home, owner)
    return kind


def inherited(owner: str) -> str:
    """Return the class whose rows belong to a class, too; empty if there is none."""
    if owner in ("types", *_PACKAGES, *INTERFACE_TYPES, "files"):
        return ""
    names = [one for one in owners() if one[0].isupper()]
    own = {class_of(name): name for name in names}
    kinds = class_of(owner).__mro__[1:]
    return next((own[kind] for kind in kinds if kind in own), "")


def _types() -> Iterator[PublicName]:
    """Yield names of types: the text below each says what it is, or its members do."""
    for home, names in _TYPES.items():
        docs = ModuleAnalyzer.for_module(home).find_attr_docs()
        for name in names.split():
            text = " ".join(docs.get(("", name), ())).strip()
            if not text:
                alias = getattr(importlib.import_module(home), name)
                shown = [getattr(one, "__name__", f'"{one}"') for one in alias.__args__]
                text = f"One of {', '.join(map(_code, shown))}."
            yield PublicName(name, (), "", (), (), text)


def _is_described(value: Any) -> bool:
    """Return whether a value is a class or a function, whose docstring is its own."""
    return inspect.isclass(value) or inspect.isfunction(value)


def _files() -> Iterator[PublicName]:
    """Yield scenes, robots and objects that ship: the first comment says what it is."""
    root = Path(pyrave_environments.__file__).parent
    resolver = Resolver(data_roots=(root,))
    for file in sorted(root.rglob("*.xml")):
        name = file.relative_to(root).as_posix()
        said = re.search(r"<!--\s*(.*?)\s*-->", file.read_text("utf-8"), re.DOTALL)
        text = " ".join(said[1].split()) if said else ""
        short = Path(file.name.split(".")[0])
        found: Path | None = None
        with contextlib.suppress(pyrave.ResourceError):
            found = located(pyrave.registry(), short, resolver)
        names = f'"{name}" or "{short}"' if found == file else f'"{name}"'
        yield PublicName(names, (), "", (), (), text)


def _ids(interface_type: str) -> Iterator[PublicName]:
    """Yield the ids of a type with settings, as ``create`` and its like take them."""
    registry = pyrave.registry()
    for name in sorted(registry.ids(interface_type), key=str.lower):
        if "*" in name or registry.alias_target(interface_type, name):
            continue
        made = registry.provider(interface_type, name).load()
        if not (inspect.isclass(made) and made.__module__.startswith("pyrave")):
            continue
        settings = registry.declared_settings(interface_type, name)
        text = _Docstring(inspect.getdoc(made) or "").summary
        if not text:
            continue  # a function that makes what an older id means
        rows = [one.to_dict() for one in settings.values()]
        arguments = []
        for row in rows:
            default = row["default_text"] or repr(row["default"])
            said = filter(None, (row["help"], row["range"], row["unit"]))
            one = f"{row['name']}: {row['type']} = {default}"
            arguments.append((one, " ".join(said)))
        units = tuple(dict.fromkeys(row["unit"] for row in rows if row["unit"]))
        yield PublicName(name, tuple(arguments), "", (), units, text)


def _members(owner: str, kind: type) -> Iterator[PublicName]:
    above = class_of(inherited(owner)) if inherited(owner) else object
    hidden = unlisted_names(kind) - {"contract", "settings_type"}  # for authors
    fields = getattr(kind, "__dataclass_fields__", {})
    if issubclass(kind, enum.Enum):
        return
    for one in kind.__mro__:
        if one in above.__mro__ or not one.__module__.startswith("pyrave"):
            continue
        types = inspect.get_annotations(one)
        named = dict.fromkeys(types) | vars(one)
        for name, value in named.items():
            if name.startswith("_") or name in hidden or name in fields:
                continue
            hidden.add(name)
            yield _row(name, value, _attribute_text(one, name), types.get(name, ""))


def _attribute_text(kind: type, name: str) -> str:
    """Return the text below an attribute in the code of a class or of one above."""
    for one in kind.__mro__:
        if one.__module__.startswith("pyrave"):
            found = ModuleAnalyzer.for_module(one.__module__).find_attr_docs()
            if (one.__qualname__, name) in found:
                return " ".join(found[one.__qualname__, name]).strip()
    return ""


def _row(name: str, value: Any, text: str, annotation: Any = "") -> PublicName:
    value = getattr(value, "__func__", value)
    if isinstance(value, functools.cached_property):
        value = property(value.func)
    known = isinstance(value, (property, type)) or callable(value)
    described = known or hasattr(type(value), "__get__")
    doc = _Docstring(text or (inspect.getdoc(value) or "" if described else ""))
    if isinstance(value, property):
        getter: Any = value.fget
        doc = _Docstring(inspect.getdoc(getter) or "")
        arguments = [("read, assign" if value.fset else "read", "")]
        returns = str(inspect.signature(getter).return_annotation).strip("'")
    elif isinstance(value, type) and issubclass(value, enum.Enum):
        members = [(one, _attribute_text(value, one)) for one in value.__members__]
        arguments, returns = members, value.__name__
    elif isinstance(value, type):
        arguments, returns = _arguments(value, doc), value.__name__
        if hasattr(value, "__enter__"):
            returns += ", for `with`"
        above = {one.__name__ for one in value.__mro__ if one.__module__ == "builtins"}
        if issubclass(value, Exception) and above - _ABOVE:
            returns += f", also `{min(above - _ABOVE)}`"
    elif callable(value):
        arguments, returns = _arguments(value, doc), _returned(value)
    elif hasattr(type(value), "__set__") or value is None:
        get = getattr(type(value), "__get__", None)
        typed = _returned(get).split(" or ")[-1] if inspect.isfunction(get) else ""
        returns = str(annotation).strip("'") or typed
        arguments = [("read, assign", "")]
    else:
        arguments, returns = [("read", "")], _text_of(value)
    said = " ".join([doc.summary, doc.returned, *dict(arguments).values()])
    said = re.sub(r"\b[A-Z][a-z]{3,}", lambda word: word[0].lower(), said)
    return PublicName(
        name,
        tuple(arguments),
        " ".join(filter(None, (returns, doc.returned))),
        doc.raised,
        tuple(dict.fromkeys(_UNIT.findall(said))),
        doc.summary,
    )


class _Docstring:
    """A docstring in the form of NumPy's, taken apart."""

    def __init__(self, text: str) -> None:
        first, *rest = _SECTION.split(text)
        self.summary = " ".join(first.split("\n\n")[0].split())
        self.sections = dict(zip(rest[::2], rest[1::2], strict=True))

    def entries(self, section: str) -> dict[str, str]:
        """Return what a section says of each name, a dict in its order."""
        found: dict[str, str] = {}
        names: list[str] = []
        text = re.sub(r",\n(?=\S)", ", ", self.sections.get(section, ""))
        for line in text.splitlines():
            if line[:1].strip():
                names = [one.strip() for one in line.split(" : ")[0].split(",")]
                found |= dict.fromkeys(names, "")
            elif line.strip():
                found |= {one: f"{found[one]} {line.strip()}".strip() for one in names}
        return found

    @property
    def raised(self) -> tuple[str, ...]:
        return tuple(self.entries("Raises"))

    @property
    def returned(self) -> str:
        """Text on results: shapes beside their types, then the descriptions."""
        lines = self.sections.get("Returns", "").splitlines()
        if not any(line[:1].isspace() for line in lines):
            return " ".join(" ".join(lines).split())
        said = []
        for line in lines:
            if line[:1].strip():
                shapes = re.findall(r"\([^()]*\)", line.partition(":")[2] or line)
                said += [", ".join(shapes)]
            else:
                said.append(line.strip())
        return " ".join(filter(None, said))


def _arguments(value: Any, doc: _Docstring) -> list[tuple[str, str]]:
    said = _referred(value, doc) | doc.entries("Parameters")
    if type(value).__module__.startswith("pluggy"):
        names = inspect.signature(value).parameters
        said |= dict.fromkeys(names, "As in pluggy.") | {"function": ""}
    if hasattr(value, "__signature__"):  # options of files, told once
        texts = (pyrave.Environment.save, pyrave.Environment.load)
        for one in map(inspect.getdoc, texts):
            said = _Docstring(one or "").entries("Parameters") | said
    made = value
    if isinstance(value, type):
        made = value.__init__
        fields = getattr(value, "__dataclass_fields__", {})
        below = {one: _attribute_text(value, one) for one in fields}
        said = {one: text for one, text in below.items() if text} | said
        for one in reversed(value.__mro__):  # fields of bases are said there
            said = (
                _Docstring(inspect.cleandoc(one.__doc__ or "")).entries("Parameters")
                | said
            )
        said |= _Docstring(inspect.getdoc(made) or "").entries("Parameters")
        is_open = inspect.isabstract(value) or getattr(value, "_is_protocol", False)
        if hasattr(value, "__total__"):
            return _options(value.__name__, {})[1:]
        if not inspect.isfunction(made) or is_open:
            return []
    found: list[tuple[str, str]] = []
    positional = False
    for one in inspect.signature(made).parameters.values():
        if positional and one.kind is not one.POSITIONAL_ONLY:
            found.append(("/", ""))
        positional = one.kind is one.POSITIONAL_ONLY
        if one.name in {"self", "cls"} or one.name[0] == "_":
            positional = False
            continue
        if one.kind is one.VAR_KEYWORD and "Unpack" in str(one.annotation):
            options = re.findall(r"\w+", str(one.annotation))[-1]
            found += _options(options, said)
            continue
        if one.kind is one.VAR_KEYWORD:
            for options in _unpacked(made):
                found += [row for row in _options(options, {}) if row not in found]
        if one.kind is one.KEYWORD_ONLY and ("*", "") not in found:
            found.append(("*", ""))
        text = said.get(one.name, said.get(str(one).split(":")[0], ""))
        found.append((_written(one), text or _EVERYWHERE.get(_plain(one), "")))
    return [*found, ("/", "")] if positional else found


def _referred(value: Any, doc: _Docstring) -> dict[str, str]:
    """Return what other functions say of arguments, to which a summary refers."""
    found: dict[str, str] = {}
    owner = getattr(value, "__qualname__", "").rpartition(".")[0]
    for name in re.findall(r"`(?:pyrave\.)?([A-Za-z_.]+)`", doc.summary):
        home: Any = pyrave
        if "." not in name and hasattr(pyrave, owner.partition(".")[0]):
            home = getattr(pyrave, owner)
        elif "." not in name:
            home = sys.modules[getattr(value, "__module__", "pyrave")]
        other = home
        for part in name.split("."):
            other = getattr(other, part, None)
        if inspect.isroutine(other) and other is not value:
            found |= _Docstring(inspect.getdoc(other) or "").entries("Parameters")
    return found


def _plain(one: inspect.Parameter) -> str:
    """Return name and type of a parameter, with its stars."""
    stars = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
    return f"{stars}{one.name}: {str(one.annotation).strip(chr(39))}"


def _written(one: inspect.Parameter) -> str:
    """Return a parameter as code has it: kind, name, type and default."""
    stars = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
    text = f"{stars}{one.name}"
    if one.annotation is not one.empty:
        text += f": {str(one.annotation).strip(chr(39))}"
    if one.default is not one.empty:
        text += f" = {_text_of(one.default)}"
    return text


def _options(name: str, said: dict[str, str]) -> list[tuple[str, str]]:
    """Return the keys of a dict of options."""
    homes = map(importlib.import_module, _OPTIONS)
    kind = next(getattr(home, name) for home in homes if hasattr(home, name))
    docs = ModuleAnalyzer.for_module(kind.__module__).find_attr_docs()
    rows = [("*", "")]
    for key, annotation in kind.__annotations__.items():
        shown = getattr(annotation, "__forward_arg__", annotation)
        rows.append((f"{key}: {shown} = ...", said.get(key) or _below(docs, kind, key)))
    return rows


def _below(docs: Any, kind: Any, key: str) -> str:
    """Return the text below a key of a dict of options, or of one that it extends."""
    home = importlib.import_module(kind.__module__)
    for (name, its_key), lines in docs.items():
        its_types = getattr(getattr(home, name, None), "__annotations__", {})
        if its_key == key and its_types.items() <= kind.__annotations__.items():
            return " ".join(lines).strip()
    return ""


def _unpacked(value: Any) -> list[str]:
    """Return the names of the dicts of options that overloads take."""
    if not inspect.isfunction(value):
        return []
    shown = " ".join(str(inspect.signature(one)) for one in typing.get_overloads(value))
    return list(dict.fromkeys(re.findall(r"Unpack\[(\w+)\]", shown)))


def _returned(value: Callable[..., Any]) -> str:
    """Return the annotation of what is returned, of all overloads."""
    forms = (inspect.isfunction(value) and typing.get_overloads(value)) or [value]
    shown = [str(inspect.signature(one).return_annotation) for one in forms]
    names = [one.strip("'") for one in shown if "_empty" not in one]
    return " or ".join(dict.fromkeys(names))


def _text_of(value: object) -> str:
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    if value == pyrave.scene.IDENTITY:
        return "IDENTITY"
    text = repr(value)
    if dataclasses.is_dataclass(value) and len(text) > _LONG / 2:
        return f"{type(value).__name__}(...)"
    return "..." if text.startswith("<") else text


# -- Markdown --------------------------------------------------------------------------


@functools.cache
def _tellers() -> dict[tuple[str, str], str]:
    """Return which row tells of each argument with its text: the most general one."""

    def rank(told: tuple[str, PublicName]) -> tuple[bool, bool, int]:
        owner, row = told
        depth = len(class_of(owner).__mro__) if owner[0].isupper() else 0
        return _label(owner, row) not in _TELLERS, owner in INTERFACE_TYPES, depth

    rows = [(owner, row) for owner in owners() for row in public_names(owner)]
    found = {("*", ""): ""}
    for owner, row in sorted(rows, key=rank):
        for one in row.arguments:
            found.setdefault(one, _label(owner, row))
    return found


def _label(owner: str, row: PublicName) -> str:
    """Return what a row is called in other tables."""
    is_own = row.name == owner or owner in INTERFACE_TYPES
    return row.name if is_own else f"{owner}.{row.name}"


def _short(owner: str, row: PublicName) -> Iterator[str]:
    """Yield the arguments of a row, of those that another row tells of the names."""
    for home, told in itertools.groupby(row.arguments, _tellers().__getitem__):
        arguments = list(told)
        full = list(_full(arguments))
        names = [_code(re.split("[:=]", one)[0].strip()) for one, _ in arguments]
        short = f"{', '.join(names)}: as for {_code(home)}"
        is_long = len("<br>".join(full)) - len(short) >= _LONG
        if is_long and home != _label(owner, row):
            yield short
        else:
            yield from full


def _full(arguments: list[tuple[str, str]]) -> Iterator[str]:
    """Yield arguments, those next to each other that share their text together."""
    for _, same in itertools.groupby(arguments, lambda one: one[1] or one):
        names, texts = zip(*same, strict=True)
        yield f"{', '.join(map(_code, names))} {_told(names[0], texts[0])}".strip()


def _told(argument: str, text: str) -> str:
    """Return the text of an argument, none if it says no more than the name."""
    name = argument.partition(":")[0].replace("_", " ")
    return "" if text == f"The {name}." else _prose(text)


def _cells(owner: str, row: PublicName) -> tuple[str, ...]:
    return (
        _code(row.name),
        "<br>".join(_short(owner, row)),
        _prose(row.returns) if row.returns != row.name else "",
        ", ".join(map(_code, row.raises)),
        ", ".join(row.units),
        _prose(row.purpose),
    )


def as_markdown(owner: str) -> str:
    """Return the table of an owner, without columns that are empty."""
    rows = [_cells(owner, row) for row in public_names(owner)]
    kept = [any(cells) for cells in zip(*rows, strict=True)]
    head = [_HEAD, ["---"] * len(_HEAD)]
    lines = [_line(itertools.compress(cells, kept)) for cells in (*head, *rows)]
    above = inherited(owner)
    after = f"\n\nAnd all of {_code(above)}." if above else ""
    return "\n".join(lines) + after + "\n"


def _line(cells: Any) -> str:
    return f"|{'|'.join(cells)}|"


def _code(text: str) -> str:
    return f"`{_cell(text)}`" if text else ""


def _prose(text: str) -> str:
    """Return text of a docstring: what stands between backticks is code."""
    parts = re.split(r"(`+[^`]*`+)", _cell(text))
    return "".join(
        one if i % 2 else re.sub(r"([*<\[])", r"\\\1", one)
        for i, one in enumerate(parts)
    )


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


class PublicNames(SphinxDirective):
    """Print the tables of classes and packages."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        node = nodes.container()
        for owner in self.arguments[0].split():
            if owner not in owners():
                raise self.error(f"pyrave has no class or package {owner!r}")
            lines = StringList(as_markdown(owner).splitlines(), "public names")
            self.state.nested_parse(lines, self.content_offset, node)
        return list(node.children)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("public-names", PublicNames)
    return {"version": "1", "parallel_read_safe": True}


if __name__ == "__main__":
    for chosen in owners():
        sys.stdout.write(f"## {chosen}\n\n{as_markdown(chosen)}\n")

"""Targets of fuzzing: each feeds one reader with bytes and uses what it gives.

`examine` says what an input may do: be accepted, or end in a `pyrave.Error`, within
`MAX_SECONDS` of processor time. `run.py` looks for inputs that do something else for
as long as one likes, `test_fuzz.py` for a few seconds in each test run.
"""

from __future__ import annotations

import contextlib
import io
import os
import signal
import tempfile
import threading
import time
import traceback
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

import collada_seeds
import numpy as np
import seeds
import serve_seeds
from lxml import etree
from mesh_seeds import IMAGE, MATERIALS, MESHES, WORDS
from mutations import Mutation, mutate_bytes, mutate_words, mutate_xml
from robwork_seeds import DYNAMIC, ROBWORK_WORDS, WORKCELLS
from urdf_seeds import SRDF_WORDS, SRDFS, URDF_WORDS, URDFS

import pyrave
from pyrave.databases.store import read_arrays, write_arrays
from pyrave.formats import (
    ReadContext,
    Resolver,
    WriteContext,
    read_scene,
    read_scene_text,
    write_scene,
)
from pyrave.formats.meshes.loader import load_mesh
from pyrave.geometry import check_texture, texture_pixels
from pyrave.kinematics.formula import differentiate, parse_formula, parse_partials
from pyrave.scene import MeshReference, Texture, body_from_boxes, same

__all__ = ["MAX_SECONDS", "Failure", "Target", "examine", "find_target", "targets"]

_OWN = "there_before"
MAX_SECONDS = 5.0
"""Processor time that one input may take."""


class TooSlowError(BaseException):
    """An input took too long; no `Exception`, which readers might report."""


@dataclass(frozen=True)
class Target:
    """One reader under test.

    Parameters
    ----------
    run
        Reads the bytes and uses the result; a `pyrave.Error` is a fine end.
    seeds
        Valid inputs.
    mutate, words
        How inputs are changed, and what may be put in.
    """

    name: str
    run: Callable[[bytes], object]
    seeds: tuple[bytes, ...]
    mutate: Mutation
    words: Sequence[bytes]

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Failure:
    """What an input did that it must not do.

    Parameters
    ----------
    signature
        Kind of exception and the place in pyrave that it came from; equal for inputs
        that most likely show one defect.
    trace
        The traceback.
    """

    signature: str
    trace: str


def examine(target: Target, data: bytes) -> Failure | None:
    """Return what an input does wrong, or None."""
    start = time.process_time()
    try:
        with _bounded_time():
            target.run(data)
    except pyrave.Error:
        pass
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - any other is what we look for
        return _failure(error)
    # what catches every exception of a plugin catches the alarm too
    spent = time.process_time() - start
    if spent > MAX_SECONDS:
        return Failure("TooSlow", f"{spent:.1f} s of processor time")
    return None


def _failure(error: BaseException) -> Failure:
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if f"{os.sep}pyrave" in f.filename] or list(frames)
    place = f"{Path(own[-1].filename).name}:{own[-1].lineno}"
    trace = "".join(traceback.format_exception(error, limit=-40))
    return Failure(f"{type(error).__name__} at {place}", trace)


@contextlib.contextmanager
def _bounded_time() -> Iterator[None]:
    """Interrupt Python code after twice the time that it may take."""
    # processor time: what else the machine does makes no input slow
    usable = hasattr(signal, "setitimer") and (
        threading.current_thread() is threading.main_thread()
    )
    if not usable:
        yield
        return

    def alarm(_number: int, _frame: object) -> None:
        raise TooSlowError

    before = signal.signal(signal.SIGVTALRM, alarm)
    signal.setitimer(signal.ITIMER_VIRTUAL, 2 * MAX_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)


def _load_scene(data: bytes) -> None:
    """Load a scene, use it as a script would, and describe it.

    What is refused leaves the environment as it was.
    """
    env = pyrave.Environment()
    env.create_body(body_from_boxes(_OWN, [[0, 0, 0, 1, 1, 1]]))
    before, own = env.describe(), env.bodies[_OWN]
    try:
        env.load_string(data, confine=True)
    except pyrave.Error:
        assert env.describe() == before, "a refused scene leaves something behind"
        assert tuple(env.bodies) == (own,), "a refused scene changes the bodies"
        raise
    for body in env.bodies:
        np.isfinite(body.link_transforms)
        body.aabb  # noqa: B018 - computed when it is asked for
        body.adjacent_links  # noqa: B018
    for robot in env.robots:
        for manipulator in robot.manipulators:
            manipulator.jacobian()
    env.describe()


def _load_dynamic_workcell(data: bytes) -> None:
    """Load a Dynamic WorkCell, and copy what it holds for physics engines."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "cell.wc.xml").write_bytes(WORKCELLS[0])
        path = Path(folder) / "scene.dwc.xml"
        path.write_bytes(data)
        env = pyrave.load(path, confine=True, resource_roots=[folder])
        env.clone().describe()


def _rewrite_scene(data: bytes) -> None:
    """Read a scene, write it and read it again: it must be the same."""
    registry = pyrave.registry()
    formats = [f for f in registry.scene_formats() if f.name == "openrave-xml"]

    def reading() -> ReadContext:
        resolver = Resolver(confine=True, data_roots=registry.data_folders)
        return ReadContext(resolver=resolver)

    def read(source: bytes) -> pyrave.SceneDescription:
        return read_scene_text(source, formats, reading())

    scene = read(data)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scene.env.xml"
        context = WriteContext(relative_to=folder, reading=reading())
        write_scene(scene, path, formats, context)
        text = path.read_bytes()
    again = read(text)
    assert again == scene, "what was written reads differently"


def _rewrite_twice(name: str, file: str, data: bytes) -> None:
    """Read a scene, and write it in its format: that reads back, and so does that."""
    registry = pyrave.registry()
    formats = [f for f in registry.scene_formats() if f.name == name]
    with tempfile.TemporaryDirectory() as folder:

        def reading() -> ReadContext:
            return ReadContext(resolver=Resolver([Path(folder)], confine=True))

        scene = read_scene_text(data, formats, reading(), folder=folder)
        found = []
        for turn in ("one", "two"):
            path = Path(folder) / turn / file
            path.parent.mkdir()
            context = WriteContext(relative_to=str(path.parent), reading=reading())
            write_scene(scene, path, formats, context)
            try:
                scene = read_scene(path, formats, reading())
            except pyrave.SceneError as error:
                raise AssertionError("what was written is refused") from error
            found.append(scene)
    # positions of corners are rounded once more
    assert same(*map(_without_places, found)), "what was written reads differently"


def _without_places(scene: pyrave.SceneDescription) -> pyrave.SceneDescription:
    """Return a scene that does not say which file it is from."""
    bodies = tuple(replace(body, uri="") for body in scene.bodies)
    return replace(scene, bodies=bodies, uri="")


def _rewrite_urdf(data: bytes) -> None:
    """Read URDF and write it: that reads back, and is written as the same again."""
    registry = pyrave.registry()
    formats = [f for f in registry.scene_formats() if f.name == "urdf"]
    with tempfile.TemporaryDirectory() as folder:

        def reading() -> ReadContext:
            return ReadContext(resolver=Resolver([Path(folder)], confine=True))

        scene = read_scene_text(data, formats, reading(), folder=folder)
        found = []
        for name in ("one.urdf", "two.urdf"):
            path = Path(folder) / name
            context = WriteContext(relative_to=folder, reading=reading())
            write_scene(scene, path, formats, context)
            try:
                scene = read_scene_text(
                    path.read_bytes(), formats, reading(), folder=folder
                )
            except pyrave.SceneError as error:
                raise AssertionError("what was written is refused") from error
            found.append(scene)
    assert found[0] == found[1], "what was written reads differently"


def _load_with_srdf(data: bytes) -> object:
    """Load a URDF beside which the bytes are an SRDF, and ask what they say."""
    from pyrave_urdf.extras import end_effectors, group_states, virtual_joints

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "all.urdf").write_bytes(URDFS[0])
        (folder / "all.srdf").write_bytes(data)
        robot = pyrave.load(folder / "all.urdf").robots[0]
    ask = end_effectors, virtual_joints, group_states
    return robot.manipulators, [function(robot) for function in ask]


def _load_collada(data: bytes) -> None:
    """Load a scene, its numbers and its animations."""
    from pyrave_collada.animations import read_trajectories

    _load_scene(data)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scene.dae"
        path.write_bytes(data)
        for found in read_trajectories(path, confine=True):
            assert np.isfinite(found.values).all()
            assert (np.diff(found.times) > 0).all()


def _parse_formula(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    values = dict.fromkeys(seeds.JOINTS, 0.25)
    if text.lstrip().startswith("|"):
        for partial in parse_partials(text, seeds.JOINTS).values():
            partial.evaluate(values)
        return
    formula = parse_formula(text, seeds.JOINTS)
    formula.evaluate(values)
    # as compile_mimic bounds it
    if len(formula.nodes) * len(formula.names) ** 2 <= 100_000:
        for name in formula.names:
            slope = differentiate(formula, name)
            slope.evaluate(values)
            differentiate(slope, name).evaluate(values)


def _follow_formula(data: bytes) -> None:
    """Load a body with three joints, each of which follows the one before."""
    text = "".join(c for c in data.decode("utf-8", "replace") if c.isprintable())
    root = etree.Element("kinbody", name="k")
    names = ("J0", "J1", "a-b", "x.y", "m0", "m1", "m2")
    for i in range(len(names) + 1):
        etree.SubElement(root, "body", name=f"L{i}")
    for i, name in enumerate(names):
        axes = 2 if name == "J1" else 1
        kind = "universal" if axes == 2 else "hinge"
        joint = etree.SubElement(root, "joint", name=name, type=kind)
        if name in {"m0", "m1", "m2"}:
            before = names[i - 1] if name != "m0" else "J0"
            formula = text.replace("J0", before)
            partials = text.lstrip().startswith("|")
            joint.set("mimic_pos", before if partials else formula)
            joint.set("mimic_vel", formula if partials else "")
        etree.SubElement(joint, "body").text = f"L{i}"
        etree.SubElement(joint, "body").text = f"L{i + 1}"
        for axis in range(axes):
            etree.SubElement(joint, f"axis{axis + 1}").text = f"0 {axis} {1 - axis}"
        etree.SubElement(joint, "limits").text = " -1 1" * axes
    _load_scene(etree.tostring(root))


def _read_mesh(mesh_format: pyrave.formats.MeshFormat, data: bytes) -> None:
    mesh_format.sniff(data[:1024])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"mesh{mesh_format.suffixes[0]}"
        path.write_bytes(data)
        (Path(folder) / "a.png").write_bytes(IMAGE)
        (Path(folder) / "a.mtl").write_bytes(MATERIALS)
        load_mesh(MeshReference(str(path)), [mesh_format])


def _read_materials(data: bytes) -> None:
    """Read a mesh whose material file the bytes are."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mesh.obj"
        path.write_bytes(MESHES["OBJ"][0])
        (Path(folder) / "a.png").write_bytes(IMAGE)
        (Path(folder) / "a.mtl").write_bytes(data)
        load_mesh(MeshReference(str(path)), pyrave.registry().mesh_formats())


def _decode_image(data: bytes) -> None:
    texture = Texture("image", data)
    check_texture(texture)
    pixels = texture_pixels(texture)
    assert pixels is None or pixels.shape[2] in {3, 4}


def _images() -> Iterator[bytes]:
    """Yield an image in each format that the decoder is there for."""
    try:
        from PIL import Image
    except ImportError:
        return
    image = Image.open(io.BytesIO(IMAGE))
    for name in ("PNG", "JPEG", "BMP", "GIF", "TGA", "WEBP", "PPM", "SGI"):
        stream = io.BytesIO()
        image.save(stream, name)
        yield stream.getvalue()


def _read_trajectory(data: bytes) -> None:
    trajectory = _environment().create("trajectory", "GenericTrajectory")
    trajectory.deserialize(data)
    if len(trajectory):
        trajectory.sample(0.5 * trajectory.duration)
    again = _environment().create("trajectory", "GenericTrajectory")
    again.deserialize(trajectory.to_bytes())
    assert again.spec == trajectory.spec
    assert np.array_equal(again.waypoints, trajectory.waypoints, equal_nan=True)


def _read_database(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.npz")
        path.write_bytes(data)
        header, arrays = read_arrays(path)
        again = path.with_name("b.npz")
        write_arrays(again, header, arrays)
        for name, array in read_arrays(again)[1].items():
            assert array.tobytes() == arrays[name].tobytes()


def _read_members(data: bytes) -> None:
    """Read a file whose members are as given, and whose checksums fit."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        names = ("header.json", "numbers.npy", "texts.npy")
        for name, member in zip(names, data.split(_BETWEEN), strict=False):
            file.writestr(name, member)
    _read_database(stream.getvalue())


_BETWEEN = b"\0\0between\0\0"


def _databases() -> tuple[bytes, bytes]:
    """Return a file, and its members one after the other."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.npz")
        arrays = {"numbers": np.arange(6.0).reshape(3, 2), "texts": np.array(["a"])}
        write_arrays(path, {"kind": "fuzz", "key": "k"}, arrays)
        data = path.read_bytes()
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return data, _BETWEEN.join(file.read(name) for name in file.namelist())


@cache
def _environment() -> pyrave.Environment:
    return pyrave.Environment()


@cache
def targets() -> tuple[Target, ...]:
    """Return all targets; there is one for each installed mesh format."""
    scenes = tuple(seeds.scenes())
    xml, binary = zip(*seeds.trajectories(), strict=True)
    documents = tuple(collada_seeds.documents())
    file, members = _databases()
    archives = tuple(collada_seeds.archives())
    collada = collada_seeds.COLLADA_WORDS
    exact, tags = tuple(seeds.exact_scenes()), seeds.XML_WORDS
    found = [
        Target("openrave_xml", _load_scene, scenes, mutate_xml, tags),
        Target("openrave_xml_bytes", _load_scene, scenes, mutate_bytes, tags),
        Target("pyrave_element", _load_scene, exact, mutate_xml, tags),
        Target("rewrite", _rewrite_scene, exact + scenes, mutate_xml, tags),
        Target("collada", _load_collada, documents, mutate_xml, collada),
        Target("collada_bytes", _load_collada, documents, mutate_bytes, collada),
        Target("collada_rewrite", partial(_rewrite_twice, "collada", "a.dae"),
               documents, mutate_xml, collada),
        Target("collada_archive", _load_scene, archives, mutate_bytes, collada),
        Target("urdf", _load_scene, URDFS, mutate_xml, URDF_WORDS),
        Target("urdf_bytes", _load_scene, URDFS, mutate_bytes, URDF_WORDS),
        Target("urdf_rewrite", _rewrite_urdf, URDFS, mutate_xml, URDF_WORDS),
        Target("workcell", _load_scene, WORKCELLS, mutate_xml, ROBWORK_WORDS),
        Target("workcell_rewrite", partial(_rewrite_twice, "workcell", "a.wc.xml"),
               WORKCELLS, mutate_xml, ROBWORK_WORDS),
        Target("workcell_bytes", _load_scene, WORKCELLS, mutate_bytes, ROBWORK_WORDS),
        Target("dynamic_workcell", _load_dynamic_workcell, DYNAMIC, mutate_xml,
               ROBWORK_WORDS),
        Target("dynamic_workcell_bytes", _load_dynamic_workcell, DYNAMIC, mutate_bytes,
               ROBWORK_WORDS),
        Target("srdf", _load_with_srdf, SRDFS, mutate_xml, SRDF_WORDS),
        Target("formula", _parse_formula, seeds.FORMULAS, mutate_words,
               seeds.FORMULA_WORDS),
        Target("mimic", _follow_formula, seeds.MIMICS, mutate_words,
               seeds.FORMULA_WORDS),
        Target("trajectory_xml", _read_trajectory, xml, mutate_xml,
               seeds.TRAJECTORY_WORDS),
        Target("trajectory_binary", _read_trajectory, binary, mutate_bytes,
               seeds.TRAJECTORY_WORDS),
        Target("database", _read_database, (file,), mutate_bytes, ()),
        Target("database_members", _read_members, (members,), mutate_bytes,
               (b"<f8", b"|O", b"}", b"-1", b"null", b"1e999", b"99999999999")),
        Target("rpc_message", serve_seeds.read_calls, serve_seeds.MESSAGES,
               mutate_bytes, serve_seeds.MESSAGE_WORDS),
        Target("text_command", serve_seeds.do_line, serve_seeds.LINES, mutate_words,
               serve_seeds.LINE_WORDS),
    ]  # fmt: skip
    images = tuple(_images())
    if images:
        found.append(Target("image", _decode_image, images, mutate_bytes, ()))
    found.append(
        Target(
            "mesh_materials", _read_materials, (MATERIALS,), mutate_words, WORDS["OBJ"]
        )
    )
    for mesh_format in pyrave.registry().mesh_formats():
        examples = MESHES.get(mesh_format.name, ())
        words = WORDS.get(mesh_format.name, ())
        is_text = any(b"\0" not in example for example in examples)
        mutate = mutate_words if is_text else mutate_bytes
        if all(example.startswith(b"<") for example in examples):
            mutate = mutate_xml
        name = f"mesh_{mesh_format.name.lower()}".replace(" ", "_")
        run = partial(_read_mesh, mesh_format)
        found.append(Target(name, run, examples, mutate, words))
    return tuple(found)


def find_target(name: str) -> Target:
    """Return the target of a name."""
    return next(target for target in targets() if target.name == name)

"""Loading of files: descriptions, then objects in an environment."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pyrave._collector import rare_collections
from pyrave.attributes import TellsNames
from pyrave.bodies.bare_robots import warn_of_bare
from pyrave.cards import counted
from pyrave.environment.failures import problem_at
from pyrave.environment.files.builder import SceneBuilder
from pyrave.environment.files.options import LoadOptions
from pyrave.environment.files.package_choice import ReaderChoice
from pyrave.environment.files.scene_names import located
from pyrave.environment.files.shared_meshes import load_shared, mesh_problems
from pyrave.environment.problem_log import log_problems
from pyrave.errors import (
    Problem,
    Problems,
    ResourceError,
    SceneError,
    Severity,
    count_problems,
    did_you_mean,
    is_wrong,
)
from pyrave.formats.diagnostics import complete_problems
from pyrave.messages import ProgressLine
from pyrave.scene import SceneDescription, has_bases, with_fixed_bases
from pyrave.scene.checks import validated

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.environment.environment import Environment
    from pyrave.formats.context import ReadContext
    from pyrave.formats.joint_limits import JointLimits
    from pyrave.interfaces.base import InterfaceBase
    from pyrave.plugins import Registry

_log = logging.getLogger("pyrave")


@dataclass(frozen=True, slots=True, repr=False)
class LoadReport(TellsNames):
    """Objects that a load added, and its problems.

    Parameters
    ----------
    scene
        The description that was built.
    bodies
        Bodies and robots, in the order of the scene.
    interfaces
        Sensors, controllers, modules, engines and others that were created.
    problems
        Every warning.

    What was taken where files are silent is in its scene's `notes`.
    """

    scene: SceneDescription
    bodies: tuple[KinBody, ...]
    interfaces: tuple[InterfaceBase, ...]
    problems: Problems

    def __repr__(self) -> str:
        parts = [counted(len(self.bodies), "body")]
        if self.interfaces:
            parts.append(counted(len(self.interfaces), "interface"))
        parts.append(count_problems(self.problems))
        return f"<LoadReport {self.scene.uri!r}: {', '.join(parts)}>"

    def _repr_html_(self) -> str:
        from pyrave.environment.display.html import load_card

        return load_card(self)


def read(
    registry: Registry,
    source: Path | str | bytes,
    options: LoadOptions,
    known_bodies: frozenset[str] = frozenset(),
) -> SceneDescription:
    """Read a file (a path) or a text and return what it says.

    Raises
    ------
    SceneError
        With every problem found.
    """
    from pyrave.formats.registry import (
        read_scene,
        read_scene_text,
        with_mesh_scenes,
    )

    context = including(registry, options, known_bodies)
    formats = with_mesh_scenes(registry.scene_formats(), registry.mesh_formats)
    if isinstance(source, Path):
        source = located(registry, source, context.resolver)
        scene = read_scene(source, formats, context)
    else:
        folder = str(options.resource_roots[0]) if options.resource_roots else None
        scene = read_scene_text(source, formats, context, folder=folder)
    unused = _unused_arguments(context, scene)
    if options.fixed_base:
        unused += _unused_base(scene)
        scene = with_fixed_bases(scene)
    if context.joint_limits is not None:
        scene, more = _with_joint_limits(scene, context.joint_limits)
        unused += more
    if options.srdf_file is not None:
        unused += _unused_srdf(scene)
    if unused:
        scene = replace(scene, problems=(*scene.problems, *unused))
    if options.name or options.prefix:
        from pyrave.formats.new_names import renamed

        scene = renamed(scene, options.name, options.prefix)
    if options.strict:
        found = [*unused, *mesh_problems(scene, registry)]
        _refuse(found, complete_problems, strict=True)
    return scene


def _unused_arguments(context: ReadContext, scene: SceneDescription) -> list[Problem]:
    """Return a warning for each argument that no file of the load asks for."""
    asked = context.asked_arguments
    return [
        Problem(
            Severity.WARNING,
            f"unused argument {name!r}: no xacro file declares it"
            f"{did_you_mean(name, asked)}",
            file=scene.uri or None,
            hint=f"declared arguments: {', '.join(sorted(asked))}"
            if asked
            else "arguments are for xacro files, which declare them by <xacro:arg>",
            code="unused-argument",
        )
        for name in context.arguments
        if name not in asked
    ]


def _with_joint_limits(
    scene: SceneDescription, limits: JointLimits
) -> tuple[SceneDescription, list[Problem]]:
    """Return a scene with the limits that the caller gives, and what is wrong."""
    from pyrave.formats.joint_limits import with_joint_limits

    known = frozenset(one.name for body in scene.bodies for one in body.joints)
    bodies = tuple(
        # robots of URDF have them already
        with_joint_limits(body, limits) for body in scene.bodies
    )  # fmt: skip
    return replace(scene, bodies=bodies), [*limits.problems, *limits.unknown(known)]


def _unused_base(scene: SceneDescription) -> list[Problem]:
    """Return a warning if there is nothing whose base could be fixed."""
    if has_bases(scene):
        return []
    return [
        Problem(
            Severity.WARNING,
            "fixed_base is given, and nothing in the file has joints",
            file=scene.uri or None,
            hint="body.links[0].static = True holds an object",
            code="unused-argument",
        )
    ]


def _unused_srdf(scene: SceneDescription) -> list[Problem]:
    """Return a warning if no robot of the file has taken an SRDF."""
    if any("srdf" in dict(body.readables) for body in scene.bodies):
        return []
    return [
        Problem(
            Severity.WARNING,
            "srdf_file is given, and the file is no URDF",
            file=scene.uri or None,
            hint="arms of other formats: robot.add_manipulator",
            code="unused-argument",
        )
    ]


def _read_other(
    registry: Registry,
    options: LoadOptions,
    asked_arguments: set[str],
    path: str,
    scale: tuple[float, float, float],
    skip_geometry: bool,
) -> SceneDescription | None:
    """Return the content of a file that a scene of another format includes, or None."""
    from pyrave.formats.registry import read_scene, with_mesh_scenes

    context = _context(registry, replace(options, attributes={}), frozenset())
    context.scale, context.skip_geometry = scale, skip_geometry
    context.asked_arguments = asked_arguments
    formats = with_mesh_scenes(registry.scene_formats(), registry.mesh_formats)
    try:
        return read_scene(path, formats, context)
    except SceneError as error:
        if error.first.code == "no-reader":
            return None
        raise


def including(
    registry: Registry, options: LoadOptions, known_bodies: frozenset[str]
) -> ReadContext:
    """Return a context in which files may include files of other formats."""
    context = _context(registry, options, known_bodies)
    asked = context.asked_arguments
    context.read_other = partial(_read_other, registry, options, asked)
    return context


def _found_by_plugin(registry: Registry, name: str) -> str | None:
    """Return the file that a plugin knows by a name."""
    answers = registry.call_hook("pyrave_find_file", name=name)
    known = [one for one in answers if isinstance(one, (str, os.PathLike))]
    return os.fspath(known[0]) if known else None


def _context(
    registry: Registry, options: LoadOptions, known_bodies: frozenset[str]
) -> ReadContext:
    from pyrave.formats.context import ReadContext
    from pyrave.formats.resolver import Resolver

    resolver = Resolver(
        options.resource_roots,
        confine=options.confine,
        data_roots=registry.data_folders,
        finder=partial(_found_by_plugin, registry),
    )
    choice = ReaderChoice(registry, resolver)
    return ReadContext(
        resolver=resolver,
        find_reader=choice.find_reader,
        prefer=choice.prefer,
        reader_tags=registry.xml_reader_tags,
        interface_settings=registry.declared_settings,
        known_bodies=known_bodies,
        strict=options.strict,
        attributes=options.attributes,
        package_dirs=tuple(map(os.path.abspath, options.package_dirs)),
        allow_code=options.allow_code,
        arguments=options.arguments,
        load_mesh=partial(load_shared, registry=registry),
        joint_limits=_joint_limits(options),
        srdf_file=None if options.srdf_file is None else os.fspath(options.srdf_file),
        acceleration_time=options.acceleration_time,
    )


def _joint_limits(options: LoadOptions) -> JointLimits | None:
    if options.joint_limits is None:
        return None
    from pyrave.formats.joint_limits import read_joint_limits

    return read_joint_limits(str(options.joint_limits))


def load(
    env: Environment, source: Path | str | bytes, options: LoadOptions
) -> LoadReport:
    """Read a scene and add it, or raise and leave the environment as it was."""
    if isinstance(source, Path) and not source.exists() and source.is_absolute():
        head, _, fragment = str(source).rpartition("#")
        if not fragment or not Path(head).exists():
            raise ResourceError(str(source))
    name = source.name if isinstance(source, Path) else "a scene"
    line = ProgressLine(f"loading {name}")
    # what a refused load ran must not stay in use for the whole process
    with line, rare_collections(), env.registry.trying_paths(options.plugin_paths):
        # strictness is judged after building, so that all problems come in one go
        known = frozenset(env.bodies.names)
        lenient = replace(options, strict=False) if options.strict else options
        scene = read(env.registry, source, lenient, known)
        texts = {} if isinstance(source, Path) else {scene.uri: source}
        return add_checked(env, scene, options, texts)


def add_scene(
    env: Environment, scene: SceneDescription, options: LoadOptions
) -> LoadReport:
    """Build everything a description of a script says and add it, or raise.

    Raises
    ------
    ArgumentError
        Something else is given, or it holds values without meaning.
    SceneError
        With every problem found.
    """
    return add_checked(env, validated(SceneDescription, scene), options, {})


def add_checked(
    env: Environment,
    scene: SceneDescription,
    options: LoadOptions,
    texts: Mapping[str, str | bytes],
    *,
    logged: bool = True,
) -> LoadReport:
    """Build everything a reader's or an environment's description says, or raise.

    Parameters
    ----------
    texts
        What the description was read from if that is no file, by its name.
    logged
        Whether warnings are logged.
    """
    complete = partial(complete_problems, texts=texts)
    with env.lock():
        builder = SceneBuilder(env, scene, rename=options.rename or scene.renamable)
        builder.problems += scene.problems
        builder.problems += _plugin_problems(env.registry, scene)
        builder.create()
        _refuse(builder.problems, complete, strict=False)
        before = env.internals.record.begin_load()
        try:
            builder.add()
            during = env.internals.record.problems
            found = [*builder.problems, *during]
            if options.strict:
                found += mesh_problems(scene, env.registry)
            _refuse(found, complete, strict=options.strict)
            found = [*complete(builder.problems), *during]
            if logged and found:
                # a program may have warnings raised as errors
                log_problems(found, "env.problems")
        except BaseException:
            env.internals.record.abort_load(before)
            builder.undo()
            raise
        builder.keep()
        env.internals.record.finish_load(scene, found)
        for note in scene.notes:
            _log.info("note: %s", note)
        _note_stand_ins(env.registry, scene)
        _note_missing_physics(env, scene)
        for body in builder.bodies if logged else ():
            if body.is_robot:
                warn_of_bare(body, "loading")
        return LoadReport(
            scene,
            tuple(builder.bodies),
            tuple(builder.interfaces),
            env.problems,
        )


_STAND_INS = {
    "collisionchecker": "collision checker",
    "physicsengine": "physics engine",
}


def _note_stand_ins(registry: Registry, scene: SceneDescription) -> None:
    """Log which engines of a scene others stand for, each once."""
    noted = set()
    for one in scene.interfaces:
        name = one.interface.split(maxsplit=1)[0].lower() if one.interface else ""
        if one.type not in _STAND_INS or (one.type, name) in noted:
            continue
        target = registry.alias_target(one.type, name)
        if target is not None:
            noted.add((one.type, name))
            place = f"{one.location}: " if one.location else ""
            _log.info(
                "%snote: %s stands for the %s %r",
                place, target, _STAND_INS[one.type], one.interface,
            )  # fmt: skip


def _note_missing_physics(env: Environment, scene: SceneDescription) -> None:
    """Log that a scene asks for a physics engine and has none that moves anything."""
    if not scene.asks_for_physics:
        return
    engine = env.internals.engines.physics
    generic = env.registry.default_id("physicsengine")
    name = generic if engine is None else engine.interface_id
    target = env.registry.alias_target("physicsengine", name)
    if generic not in {name, target}:
        return
    _log.info(
        "note: the scene is made for a physics engine and %s moves nothing; "
        "env.physics_engine = %r does, after pip install 'pyrave[physics]'",
        generic,
        env.registry.default_id("physicsengine", "dynamics"),
    )


def _refuse(
    problems: list[Problem],
    complete: Callable[[list[Problem]], list[Problem]],
    *,
    strict: bool,
) -> None:
    wrong = any(p.severity is Severity.ERROR for p in problems)
    if wrong or (strict and any(map(is_wrong, problems))):
        raise SceneError(complete(problems))


def _plugin_problems(registry: Registry, scene: SceneDescription) -> list[Problem]:
    """Return warnings of ``<plugin>`` tags and settings that cannot be used."""
    problems = []
    for reference in scene.plugins:
        found = registry.find_plugin(reference.name)
        packages = {one.distribution for one in found.records}
        problems += [
            problem_at(reference.location, message, code="plugin-setting", hint=hint)
            for package in sorted(packages if reference.settings else ())
            for _, message, hint in registry.settings(
                package, reference.settings
            ).problems
        ]
        problem = found.problem
        if problem is not None:
            problems.append(
                problem_at(
                    reference.location,
                    problem.message,
                    code=problem.code,
                    hint=problem.hint,
                    trace=problem.traceback,
                )
            )
    return problems

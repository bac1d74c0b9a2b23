"""OpenRAVE's checker that remembers where a robot collides."""

from __future__ import annotations

import hashlib
import time
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pyrave.databases import body_digest, database_folder
from pyrave.databases.store import read_arrays, write_arrays
from pyrave.errors import ArgumentError, NotFoundError, StateError
from pyrave.interfaces import (
    CollisionCheckerBase,
    CollisionOptions,
    CollisionPair,
    CollisionReport,
    CollisionSide,
    command,
    setting,
)
from pyrave.spatial import as_number
from pyrave_collision.configuration_cache import ConfigurationCache, held_by

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave import Environment
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.robot import Robot
    from pyrave.bodies.views.link import Link
    from pyrave.interfaces import CompiledCollisions, Touches
    from pyrave.spatial import Array

_MORE = ~(
    CollisionOptions.ACTIVE_DOFS
    | CollisionOptions.RAY_ANY_HIT
    | CollisionOptions.IGNORE_CALLBACKS
)
"""Options of queries that want more than an answer."""


class CacheParameters(NamedTuple):
    """Thresholds within which configurations are alike: see `ConfigurationCache`.

    `base` is that of OpenRAVE's tree of configurations; there is none here.
    """

    collision_threshold: float = 0.1
    free_threshold: float = 0.1
    insertion_multiplier: float = 0.1
    base: float = 2.0

    def put_on(self, cache: ConfigurationCache) -> None:
        """Let a cache use them."""
        cache.collision_threshold = self.collision_threshold
        cache.free_threshold = self.free_threshold
        cache.insertion_multiplier = self.insertion_multiplier


@dataclass
class _Memory:
    """Caches of one kind of query, by the options under which it was asked."""

    parameters: CacheParameters
    caches: dict[tuple[str, CollisionOptions], ConfigurationCache] = field(
        default_factory=dict
    )
    counts: list[int] = field(default_factory=lambda: [0, 0, 0])
    """Queries, and those that were known to collide, and to be free."""
    spent: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    """Seconds of insertions, of look-ups and of the other checker."""

    def forget(self) -> None:
        self.caches.clear()
        self.counts[:] = 0, 0, 0

    def __len__(self) -> int:
        return sum(map(len, self.caches.values()))


def _handed_on(name: str) -> Callable[..., Any]:
    """Return a method that has the other checker answer."""

    def ask(self: CacheChecker, *args: Any, **named: Any) -> Any:
        return getattr(self.wrapped, name)(*args, **named)

    ask.__doc__ = f"Hand `{name}` on to the other checker."
    return ask


@dataclass(frozen=True)
class CacheSettings:
    """Settings of `CacheChecker`."""

    checker: tuple[str, ...] = setting(
        (),
        "id of the checker that is asked; by default one like the environment's",
        fixed=True,
    )


class CacheChecker(CollisionCheckerBase):
    """Asks another checker, and remembers what it says of one robot's configurations.

    ``env.create("collisionchecker", "CacheChecker coal")`` asks the checker ``coal``,
    without a name one like the environment's. ``TrackRobotState`` says which robot.
    A configuration that is near to a known one is taken to be as that is, with
    thresholds in steps of the resolutions (`ConfigurationCache`): 0.1, and for self
    collisions 0.2 of one that collides and 0.3 of one that is free. Queries with
    contacts, distances or more pairs than one, and all while collision callbacks,
    filters or `allowing` are in use, are handed on.

    The default checker is quicker than a look-up: this one is for checkers that are
    not, and for programs that expect it.
    """

    contract = 2
    settings_type = CacheSettings
    word_settings = ("checker",)
    asks_callbacks = True

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._robot: weakref.ref[Robot] | None = None
        self._memories = {
            False: _Memory(CacheParameters()),
            True: _Memory(CacheParameters(0.2, 0.3, 0.5, 1.8)),
        }
        self._loading = 0.0
        self._wrap(" ".join(self.settings.checker) or self._name_of_present())

    # -- the other checker ---------------------------------------------------------

    @property
    def wrapped(self) -> CollisionCheckerBase:
        """The checker that is asked what is not known."""
        return self._wrapped

    def _name_of_present(self) -> str:
        present = self.env.collision_checker
        if isinstance(present, CacheChecker):
            present = present.wrapped
        return " ".join((present.interface_id, *present.id_words))

    def _wrap(self, name: str) -> None:
        made = self.env.create("collisionchecker", name)
        if isinstance(made, CacheChecker):
            raise ArgumentError(
                "a CacheChecker is to ask a CacheChecker; name the checker that "
                "compares solids, as 'CacheChecker Native'"
            )
        assert isinstance(made, CollisionCheckerBase)  # noqa: S101 - by its type
        self._wrapped, self._wrapped_name = made, name
        vars(self).update(exact=made.exact, finds_collisions=made.finds_collisions)
        self._forget()

    set_tolerance = _handed_on("set_tolerance")
    get_collision_options = _handed_on("get_collision_options")
    set_collision_options = _handed_on("set_collision_options")
    get_geometry_group = _handed_on("get_geometry_group")
    check_ray = _handed_on("check_ray")
    check_mesh = _handed_on("check_mesh")
    check_aabb = _handed_on("check_aabb")
    check_link_collision = _handed_on("check_link_collision")
    check_link_self_collision = _handed_on("check_link_self_collision")
    depth = _handed_on("depth")
    links_touch = _handed_on("links_touch")
    configuration_distances = _handed_on("configuration_distances")
    init_environment = _handed_on("init_environment")
    init_kinbody = _handed_on("init_kinbody")
    remove_kinbody = _handed_on("remove_kinbody")
    synchronise = _handed_on("synchronise")

    def destroy_environment(self) -> None:
        """Forget every body, and every configuration."""
        self._forget()
        self.wrapped.destroy_environment()

    def set_geometry_group(self, group: str) -> None:
        """Compare the geometries of a group; of another one nothing is known."""
        if group != self.get_geometry_group():
            self._forget()
        self.wrapped.set_geometry_group(group)

    @contextmanager
    def allowing(self, touches: Touches) -> Iterator[None]:
        """Let pairs of links touch for a ``with`` block; nothing is remembered then."""
        with super().allowing(touches), self.wrapped.allowing(touches):
            yield

    # -- queries that are remembered -----------------------------------------------

    def check_collision(
        self,
        first: KinBody | Link,
        second: KinBody | Link | None = None,
        *,
        excluded_bodies: Iterable[KinBody] = (),
        excluded_links: Iterable[Link] = (),
        report: CollisionReport | None = None,
    ) -> bool:
        """Check a body or link; the tracked robot and everything else from memory."""
        whole = second is None and not (excluded_bodies or excluded_links)
        if whole and self._remembers(first):
            return self._answer("collision", report, lambda found: (
                self.wrapped.check_collision(first, report=found)
            ))  # fmt: skip
        return self.wrapped.check_collision(
            first, second, excluded_bodies=excluded_bodies,
            excluded_links=excluded_links, report=report,
        )  # fmt: skip

    def check_self_collision(
        self, subject: KinBody | Link, report: CollisionReport | None = None
    ) -> bool:
        """Check non-adjacent links; those of the tracked robot from memory."""
        return self._check_within("self_collision", subject, report)

    def check_standalone_self_collision(
        self, subject: KinBody | Link, report: CollisionReport | None = None
    ) -> bool:
        """Check self collision without what the body holds."""
        return self._check_within("standalone_self_collision", subject, report)

    def _check_within(
        self, kind: str, subject: KinBody | Link, report: CollisionReport | None
    ) -> bool:
        ask = getattr(self.wrapped, f"check_{kind}")
        if not self._remembers(subject):
            return bool(ask(subject, report))
        return self._answer(kind, report, lambda found: ask(subject, found))

    def configuration_hits(
        self, body: KinBody, rows: Array, *, environment: bool, self_collision: bool
    ) -> NDArray[np.bool_]:
        """Return the mask of configurations (n, dof) of a body that collide."""
        hits = self.wrapped.configuration_hits
        if self._tracked() is body:
            hits = super().configuration_hits
        return hits(body, rows, environment=environment, self_collision=self_collision)

    def compiled(
        self, body: KinBody, *, environment: bool = True, self_collision: bool = True
    ) -> CompiledCollisions:
        """Return the other checker's function of link poses; not of what is tracked."""
        tracked = self._tracked() is body
        compiled = super().compiled if tracked else self.wrapped.compiled
        return compiled(body, environment=environment, self_collision=self_collision)

    # -- memory --------------------------------------------------------------------

    def cache(self, robot: Robot, *, environment: bool = True) -> ConfigurationCache:
        """Return a new cache of a robot's active degrees of freedom, for any use."""
        return ConfigurationCache(robot, environment=environment)

    def _tracked(self) -> Robot | None:
        robot = None if self._robot is None else self._robot()
        return robot if robot is not None and robot.id in self.env.world else None

    def _forget(self) -> None:
        for memory in self._memories.values():
            memory.forget()

    def _remembers(self, subject: object) -> bool:
        """Return True if answers about a body are kept at present."""
        robot = self._tracked()
        return (
            robot is not None
            and (subject is robot or subject == robot.name)
            and not self.get_collision_options() & _MORE
            and not self.touches
            and not self.env.collision_callbacks
            and all(body.collision_filter is None for body in self.env.bodies)
        )

    def _cache_of(
        self, kind: str, options: CollisionOptions
    ) -> tuple[_Memory, ConfigurationCache]:
        robot = self._tracked()
        assert robot is not None  # noqa: S101 - `_remembers` was asked before
        within = kind != "collision"
        memory = self._memories[within]
        key = kind, options & CollisionOptions.ACTIVE_DOFS
        cache = memory.caches.get(key)
        if cache is None or not cache.is_about_present_dofs():
            cache = memory.caches[key] = self.cache(robot, environment=not within)
            memory.parameters.put_on(cache)
        return memory, cache

    def _answer(
        self,
        kind: str,
        report: CollisionReport | None,
        ask: Callable[[CollisionReport], bool],
    ) -> bool:
        """Return the known answer, or that of the other checker."""
        memory, cache = self._cache_of(kind, self.get_collision_options())
        begin = time.perf_counter()
        values = cache.present_values()
        known = cache.find(values)
        memory.counts[0] += 1
        looked = time.perf_counter()
        memory.spent[1] += looked - begin
        if known is not None:
            memory.counts[1 if known.collides else 2] += 1
            if report is not None:
                _begin(report, self.get_collision_options())
                report.pairs += [known.pair] if known.pair else []
            return known.collides
        found = CollisionReport() if report is None else report
        before = len(found.pairs) if found.keep_previous else 0
        hit = bool(ask(found))
        asked = time.perf_counter()
        pairs = found.pairs[before:] or [CollisionPair(CollisionSide())]
        cache.insert(values, pairs[0] if hit else None)
        memory.spent[2] += asked - looked
        memory.spent[0] += time.perf_counter() - asked
        return hit

    # -- commands ------------------------------------------------------------------

    @command(name="TrackRobotState")
    def track(self, robot: str, affine: int = 0) -> bool:
        """Remember configurations of a robot from now on, and of no other one.

        Its active degrees of freedom at each query count, those of the base included,
        whatever is given for OpenRAVE's ``affine``.
        """
        found = [one for one in self.env.robots if one.name == robot]
        if not found:
            raise NotFoundError("robot", robot, [one.name for one in self.env.robots])
        self._robot = weakref.ref(found[0])
        self._forget()
        self.load()
        return True

    @command(name="GetTrackedRobot")
    def tracked_robot(self) -> str | None:
        """Return the name of the robot whose configurations are remembered."""
        robot = self._tracked()
        return None if robot is None else robot.name

    @command(name="GetCacheStatistics")
    def statistics(self) -> list[int]:
        """Return queries, known collisions, known free ones, and how many are kept.

        The first three count from the last time that they were asked for.
        """
        return self._statistics(within=False)

    @command(name="GetSelfCacheStatistics")
    def self_statistics(self) -> list[int]:
        """Return `GetCacheStatistics` of self collisions."""
        return self._statistics(within=True)

    @command(name="SetCacheParameters")
    def set_parameters(
        self, collision: float, free: float, insertion: float, base: float = 2.0
    ) -> list[float]:
        """Set how near configurations are alike, in steps; return what is set."""
        return self._set_parameters(collision, free, insertion, base, within=False)

    @command(name="SetSelfCacheParameters")
    def set_self_parameters(
        self, collision: float, free: float, insertion: float, base: float = 1.8
    ) -> list[float]:
        """Set them for self collisions; return what is set."""
        return self._set_parameters(collision, free, insertion, base, within=True)

    @command(name="ResetCache")
    def reset_cache(self) -> bool:
        """Forget what was found about everything else, and what was counted."""
        self._memories[False].forget()
        return True

    @command(name="ResetSelfCache")
    def reset_self_cache(self) -> bool:
        """Forget what was found about self collision, and what was counted."""
        self._memories[True].forget()
        return True

    @command(name="ValidateCache")
    def validate(self) -> int:
        """Return 1 if what is kept agrees with itself, else 0."""
        return int(all(one.is_sound() for one in self._caches(within=False)))

    @command(name="ValidateSelfCache")
    def validate_self(self) -> int:
        """Return 1 if what is kept of self collisions agrees with itself, else 0."""
        return int(all(one.is_sound() for one in self._caches(within=True)))

    @command(name="UpdateCollisionConfigurations")
    def update_collision_configurations(self, body: str = "") -> int:
        """Forget what collides with a body, or at all; return how many there were."""
        other = self.env.bodies[body] if body else None
        return sum(one.drop_collisions(other) for one in self._caches(within=False))

    @command(name="UpdateFreeConfigurations")
    def update_free_configurations(self, body: str = "") -> int:
        """Forget the configurations that are free; return how many there were."""
        return sum(one.drop_free() for one in self._caches(within=False))

    @command(name="SaveCache")
    def save(self) -> bool:
        """Write self collisions to a file of the robot and its active joints."""
        arrays = {
            f"{kind}-{int(options)}-{name}": array
            for (kind, options), cache in self._memories[True].caches.items()
            if cache.is_about_present_dofs()
            for name, array in cache.to_arrays().items()
        }
        write_arrays(self._file(), {"kind": "selfcache"}, arrays)
        return True

    @command(name="LoadCache")
    def load(self) -> bool:
        """Remember what `SaveCache` has written for this robot; false if nothing."""
        path = self._file()
        begin = time.perf_counter()
        try:
            _, read = read_arrays(path)
        except FileNotFoundError:
            return False
        except StateError as error:
            what = str(error).partition("; build()")[0]
            raise StateError(
                f"{what}; delete it, or write it anew with SaveCache"
            ) from error
        parts: dict[tuple[str, int], dict[str, NDArray[Any]]] = {}
        for key, array in read.items():
            kind, options, name = key.split("-")
            parts.setdefault((kind, int(options)), {})[name] = array
        for (kind, number), arrays in parts.items():
            cache = self._cache_of(kind, CollisionOptions(number))[1]
            cache.clear()
            cache.add_arrays(arrays)
        self._loading += time.perf_counter() - begin
        return True

    @command(name="GetCacheTimes")
    def times(self) -> str:
        """Return milliseconds of insertions, look-ups and the other checker.

        They count from the last time that they were asked for.
        """
        words = [
            f"{before}{name} {1e3 * spent:.0f}ms"
            for before, memory in (
                ("", self._memories[False]),
                ("self-", self._memories[True]),
            )
            for name, spent in zip(
                ("insert", "query", "raw"), memory.spent, strict=True
            )
        ]
        for memory in self._memories.values():
            memory.spent[:] = 0.0, 0.0, 0.0
        words.append(f"load {1e3 * self._loading:.0f}ms")
        self._loading = 0.0
        counts = self._memories[False].counts
        return " ".join((*words, f"hits {counts[1] + counts[2]}"))

    def _statistics(self, *, within: bool) -> list[int]:
        memory = self._memories[within]
        found = [*memory.counts, len(memory)]
        memory.counts[:] = 0, 0, 0
        return found

    def _set_parameters(
        self, collision: float, free: float, insertion: float, base: float, *,
        within: bool,
    ) -> list[float]:  # fmt: skip
        given = {
            "collision": collision, "free": free, "insertion": insertion, "base": base,
        }  # fmt: skip
        numbers = (as_number(value, name, 0.0) for name, value in given.items())
        memory = self._memories[within]
        memory.parameters = CacheParameters(*numbers)
        for cache in memory.caches.values():
            memory.parameters.put_on(cache)
        return list(memory.parameters)

    def _caches(self, *, within: bool) -> list[ConfigurationCache]:
        return list(self._memories[within].caches.values())

    def _file(self) -> Path:
        """Return the file for the robot, with all that its answers depend on."""
        robot = self._tracked()
        if robot is None:
            raise StateError("no robot is tracked: call TrackRobotState with a name")
        cache = ConfigurationCache(robot, environment=False)
        said = [body_digest(one) for one in (robot, *held_by(robot))]
        said += [str(self._memories[True].parameters), str(robot.active_choice)]
        said += [cache.weights.tobytes().hex(), cache.rest.round(9).tobytes().hex()]
        said.append(str(robot.non_adjacent_links.tolist()))
        digest = hashlib.sha256(" ".join(said).encode()).hexdigest()[:32]
        return database_folder() / f"selfcache.{digest}.zip"

    # -- clones --------------------------------------------------------------------

    def get_own_state(self) -> tuple[str, Any, str | None, dict[bool, CacheParameters]]:
        """Return the other checker, its state, the robot's name and the parameters."""
        parameters = {key: one.parameters for key, one in self._memories.items()}
        name = self._wrapped_name
        return name, self.wrapped.get_state(), self.tracked_robot(), parameters

    def set_own_state(
        self, state: tuple[str, Any, str | None, dict[bool, CacheParameters]]
    ) -> None:
        """Take over what another one asks and tracks; it remembers nothing yet."""
        name, inner, robot, parameters = state
        if name != self._wrapped_name:
            self._wrap(name)
        self._wrapped.set_state(inner)
        self._forget()
        for key, one in parameters.items():
            self._memories[key].parameters = one
        found = [one for one in self.env.robots if one.name == robot]
        self._robot = weakref.ref(found[0]) if found else None


def _begin(report: CollisionReport, options: CollisionOptions) -> None:
    report.reset()
    report.options = options

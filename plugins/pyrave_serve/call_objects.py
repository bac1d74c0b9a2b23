"""Objects that a call of a client acts on."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from pyrave.errors import (
    ArgumentError,
    NotFoundError,
    NotSupportedError,
    ResourceError,
    StateError,
    shown,
)
from pyrave.formats.resolver import Resolver
from pyrave.interfaces import ModuleBase

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyrave.bodies import KinBody, Link, Manipulator, Robot
    from pyrave.interfaces import InterfaceBase, SensorBase, TrajectoryBase

Item = TypeVar("Item")


@dataclass
class Shelf(Generic[Item]):
    """Things that clients had put aside, each under a name of its own.

    Parameters
    ----------
    kind
        What they are.
    mark
        What their names begin with.
    most
        The oldest leaves when there are more.
    """

    kind: str
    mark: str
    most: int
    count: int = 0
    items: dict[str, Item] = field(default_factory=dict)

    def put(self, item: Item) -> str:
        """Keep something, and return its name."""
        self.count += 1
        name = f"{self.mark}{self.count}"
        self.items[name] = item
        while len(self.items) > self.most:
            del self.items[next(iter(self.items))]
        return name

    def find(self, name: str) -> Item:
        """Return the item of a name; NotFoundError if there is none."""
        if name not in self.items:
            raise NotFoundError(self.kind, name, list(self.items))
        return self.items[name]


@dataclass(frozen=True)
class Limits:
    """Limits on what clients may ask for.

    Parameters
    ----------
    message_bytes
        Of a message.
    line_bytes
        Of a line of the text protocol.
    depth
        Of lists and objects in each other.
    batch
        Calls in one message.
    clients
        Connections at the same time.
    clients_per_address
        Those of one computer.
    silent_seconds
        Of a connection before its client has shown its token, or asked for anything.
    waiting
        Calls that wait while another is done.
    seconds
        Of a call, or of a message with several.
    idle_seconds
        Of a connection that asks nothing over HTTP, and of a message that does not end.
    text_idle_seconds
        Of a connection that sends no text command.
    states, trajectories
        How many are kept for clients.
    numbers
        Drawings and modules of the text protocol.
    rays
        Of a cast.
    pixels
        Of a picture.
    """

    message_bytes: int = 4 * 2**20
    line_bytes: int = 2**20
    depth: int = 32
    batch: int = 100
    clients: int = 64
    clients_per_address: int = 32
    silent_seconds: float = 5.0
    waiting: int = 256
    seconds: float = 60.0
    idle_seconds: float = 60.0
    text_idle_seconds: float = 3600.0
    states: int = 32
    trajectories: int = 32
    numbers: int = 1000
    rays: int = 1_000_000
    pixels: int = 4_000_000


@dataclass
class Kept:
    """Objects that are kept for clients between their calls."""

    most_numbers: int
    states: Shelf[Any]
    trajectories: Shelf[TrajectoryBase]
    numbers: dict[int, Any] = field(default_factory=dict)
    """Modules and drawings of the text protocol, by the number that clients know."""
    last_number: int = 0

    @classmethod
    def empty(cls, limits: Limits) -> Kept:
        """Return shelves that are empty."""
        return cls(
            limits.numbers,
            Shelf("saved state", "state", limits.states),
            Shelf("trajectory", "trajectory", limits.trajectories),
        )

    def modules(self) -> list[ModuleBase]:
        """Return the modules among what has a number."""
        return [one for one in self.numbers.values() if isinstance(one, ModuleBase)]

    def require_room(self) -> None:
        """Raise a StateError if nothing more can have a number."""
        if len(self.numbers) >= self.most_numbers:
            raise StateError(
                f"{len(self.numbers)} drawings and modules are kept; erase some first"
            )

    def number(self, item: Any) -> int:
        """Keep something under a number of its own, above 0; StateError if full."""
        self.require_room()
        self.last_number += 1
        self.numbers[self.last_number] = item
        return self.last_number


class Follower(Protocol):
    """Sends poses to a client, as often as it wants."""

    def follow(self, rate: float) -> None:
        """Send poses at most so many times a second; 0 ends it."""


@dataclass
class Desk:
    """Objects that the methods of one call act on; the environment is locked.

    Parameters
    ----------
    env
        The environment.
    loading
        Keywords of ``Environment.load`` for files that clients name.
    limits
        What they may ask for.
    kept
        What is kept for them.
    deadline
        When the call must end, as `time.monotonic` counts.
    is_open
        Returns whether the server goes on.
    close
        Ends the server.
    follower
        Sends poses to the client; None where the connection cannot.
    write_roots
        Folders below which clients may write files.
    """

    env: Any
    loading: Mapping[str, Any]
    limits: Limits
    kept: Kept
    deadline: float
    is_open: Callable[[], bool]
    close: Callable[[], None]
    follower: Follower | None = None
    write_roots: tuple[str, ...] = ()

    @property
    def seconds_left(self) -> float:
        """Time that is left for the call, seconds, some milliseconds at least."""
        return max(self.deadline - time.monotonic(), 0.01)

    def seconds(self, wanted: float | None) -> float:
        """Return the seconds for a search, at most those of the call.

        Raises
        ------
        ArgumentError
            It is no positive number.
        """
        if wanted is None:
            return self.seconds_left
        if not wanted > 0.0:
            raise ArgumentError(f"timeout is {wanted:g}, expected seconds above 0")
        return min(wanted, self.seconds_left)

    def check_time(self, what: str) -> None:
        """Raise a StateError if the call has taken too long.

        Parameters
        ----------
        what
            What is going on, for the message.
        """
        if not self.is_open():
            raise StateError(f"{what} was broken off: the server ends")
        if time.monotonic() > self.deadline:
            raise StateError(
                f"{what} was broken off: a call may take {self.limits.seconds:g} s; "
                "ask for less at a time"
            )

    def file(self, name: str) -> str:
        """Return a file that a client may load.

        Raises
        ------
        ResourceError
            It is not below a folder that clients may read.
        """
        _require_file_name(name)
        if name.startswith("~"):
            raise ArgumentError(
                f"{shown(name)} is below a home folder, and clients name files below "
                "the folders of --resource-root"
            )
        head, mark, fragment = name.partition("#")
        roots = Resolver(
            self.loading["resource_roots"],
            confine=True,
            data_roots=self.env.registry.data_folders,
        )
        found = roots.find(head)
        if found is not None:
            return f"{found}{mark}{fragment}"
        if os.path.lexists(head):
            roots.resolve(head)
        # a plugin may know it by its name
        return name

    def to_read(self, name: str) -> str:
        """Return a file that a command of a client may read.

        Raises
        ------
        ResourceError
            It is not below a folder that clients may read, or is not there.
        """
        found = self.file(name)
        if os.path.lexists(found):
            return found
        raise ResourceError(name, [], hint="clients read below --resource-root alone")

    def to_write(self, name: str) -> str:
        """Return a file that a command of a client may write.

        Raises
        ------
        NotSupportedError
            Clients may write nowhere, or not there.
        """
        _require_file_name(name)
        for root in self.write_roots:
            folder = Path(root).resolve()
            found = (folder / name).resolve()
            if folder in found.parents:
                return str(found)
        allowed = "below the folders of its --write" if self.write_roots else "no files"
        raise NotSupportedError(
            f"clients of this server write {allowed}, not {shown(name)}; whoever "
            "starts it says where: pyrave serve --write DIR"
        )

    def body(self, name: str) -> KinBody:
        """Return a body of the environment; NotFoundError for other names."""
        found: KinBody = self.env.bodies[name]
        return found

    def robot(self, name: str) -> Robot:
        """Return a robot of the environment; NotFoundError for other names."""
        found: Robot = self.env.robots[name]
        return found

    def part(self, body: str, link: str | None) -> KinBody | Link:
        """Return a body, or a link of it."""
        found = self.body(body)
        return found if link is None else found.links[link]

    def arm(self, robot: str, manipulator: str | None) -> Manipulator:
        """Return a manipulator of a robot, the active one where none is named."""
        found = self.robot(robot)
        if manipulator is not None:
            return found.manipulators[manipulator]
        if not found.manipulators:
            raise StateError(f"robot {robot!r} has no manipulator")
        return found.active_manipulator

    def sensor(self, name: str) -> SensorBase:
        """Return a sensor; those of robots are ``robot:sensor``."""
        found: SensorBase = self.env.sensors[name]
        return found

    def interface(self, address: str) -> InterfaceBase:
        """Return an object by ``kind:name``, as `ADDRESSES` explains.

        Raises
        ------
        ArgumentError
            No such kind.
        NotFoundError
            No such object.
        """
        kind, _, name = address.partition(":")
        robot, _, manipulator = name.partition("/")
        found: Any
        match kind.lower():
            case "module":
                found = self.env.modules[name]
            case "sensor":
                found = self.env.sensors[name]
            case "body" | "robot":
                found = self.env.bodies[name]
            case "controller":
                found = self.env.robots[name].controller
            case "iksolver":
                found = self.arm(robot, manipulator or None).ik_solver
            case "physicsengine":
                found = self.env.physics_engine
            case "collisionchecker":
                found = self.env.collision_checker
            case _:
                raise ArgumentError(f"{address!r} names nothing, expected {ADDRESSES}")
        answer: InterfaceBase = found
        return answer


def _require_file_name(name: str) -> None:
    try:
        os.fsencode(name)
    except UnicodeEncodeError:
        raise ArgumentError(f"{shown(name)} is not the name of a file") from None
    if "\0" in name or not name:
        raise ArgumentError(f"{shown(name)} is not the name of a file")


ADDRESSES = (
    "module:NAME, sensor:NAME, body:NAME, robot:NAME, controller:ROBOT, "
    "iksolver:ROBOT/MANIPULATOR, physicsengine or collisionchecker"
)

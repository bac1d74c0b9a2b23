"""Options that several commands share, and the session that they set up."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

from cyclopts import Parameter, validators

if TYPE_CHECKING:
    from pyrave.environment import Environment, LoadReport
    from pyrave.pictures import Viewpoint


@dataclass
class Session:
    """Values of the options before every command; one a process."""

    verbosity: int = 0
    json_output: TextIO | None = None
    """Stream of the JSON while plugins' code may print; None: standard output."""

    @property
    def trace(self) -> bool:
        """True if tracebacks are shown."""
        return self.verbosity >= 2

    @property
    def is_silent(self) -> bool:
        """True if only the output that programs asked for is written."""
        return self.verbosity <= -2


session = Session()


@Parameter(name="*")
@dataclass(frozen=True)
class LoadingOptions:
    """Options for finding scene files and naming their bodies.

    Parameters
    ----------
    name
        What the one body of the file is called instead.
    prefix
        What goes before the names of links, joints and all that belongs to bodies.
    resource_root
        Folder in which relative file names are looked up; may be repeated.
    confine
        Refuse files that are not below a resource root, links resolved.
    package_dir
        Folder that holds the ROS packages of package:// names; may be repeated.
    allow_code
        Run code that the file itself holds, as xacro files do.
    fixed_base
        Let physics leave the bases of robots where they are, as if the file said so.
    joint_limits
        A joint_limits.yaml of MoveIt, whose limits of joints go before those of files.
    srdf_file
        An SRDF for a URDF file, in place of one that lies beside it.
    acceleration_time
        Seconds in which joints reach full speed whose files give no acceleration, as
        URDF.
    """

    name: Annotated[str, Parameter(show_default=False)] = ""
    prefix: Annotated[str, Parameter(show_default=False)] = ""
    resource_root: Annotated[
        tuple[Path, ...], Parameter(negative="", show_default=False)
    ] = ()
    confine: Annotated[bool, Parameter(negative="", show_default=False)] = False
    package_dir: Annotated[
        tuple[Path, ...], Parameter(negative="", show_default=False)
    ] = ()
    allow_code: Annotated[bool, Parameter(negative="", show_default=False)] = False
    fixed_base: Annotated[bool, Parameter(negative="", show_default=False)] = False
    joint_limits: Annotated[Path | None, Parameter(show_default=False)] = None
    srdf_file: Annotated[Path | None, Parameter(show_default=False)] = None
    acceleration_time: Annotated[
        float, Parameter(validator=validators.Number(gte=1e-6, lte=1e6))
    ] = 0.5

    @property
    def keywords(self) -> dict[str, Any]:
        """The options as keyword arguments of ``Environment.load``."""
        return {
            "name": self.name,
            "prefix": self.prefix,
            "resource_roots": self.resource_root,
            "confine": self.confine,
            "package_dirs": self.package_dir,
            "allow_code": self.allow_code,
            "fixed_base": self.fixed_base,
            "joint_limits": self.joint_limits,
            "srdf_file": self.srdf_file,
            "acceleration_time": self.acceleration_time,
        }

    def load(
        self, source: Path, *, strict: bool = False, arguments: tuple[str, ...] = ()
    ) -> tuple[Environment, LoadReport]:
        """Load a scene into a new environment.

        Parameters
        ----------
        arguments
            ``name:=value`` each, as the command line has them.
        """
        from pyrave.environment import Environment

        env = Environment()
        given = file_arguments(arguments)
        report = env.load(source, strict=strict, arguments=given, **self.keywords)
        return env, report


@Parameter(name="*")
@dataclass(frozen=True)
class StartOptions(LoadingOptions):
    """Options for finding scene files, and for the start of robots.

    Parameters
    ----------
    state
        A named state in which robots start, such as ready of an SRDF; robot/ready where
        one of several robots is meant. May be repeated.
    """

    state: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = ()

    def load(
        self, source: Path, *, strict: bool = False, arguments: tuple[str, ...] = ()
    ) -> tuple[Environment, LoadReport]:
        """Load a scene into a new environment, and set the states."""
        from pyrave.cli.joints import set_states

        env, report = super().load(source, strict=strict, arguments=arguments)
        set_states(env, self.state)
        return env, report


@Parameter(name="*")
@dataclass(frozen=True)
class ViewOptions:
    """Options for the viewpoint of pictures.

    Parameters
    ----------
    eye
        Of the picture: where it is taken from, world, metres. By default the scene's
        own camera, or from where most is seen.
    target
        Of the picture: what is in its middle, x y z, world, metres.
    size
        Of the picture: width and height, pixels, as in 960x720.
    zoom
        Of the picture: above 1 shows less, larger.
    """

    eye: Annotated[tuple[float, float, float] | None, Parameter(show_default=False)] = (
        None
    )
    target: Annotated[
        tuple[float, float, float] | None, Parameter(show_default=False)
    ] = None
    size: str = "960x720"
    zoom: float = 1.0

    def of_picture(self, option: str, *, given: bool) -> Viewpoint:
        """Return the place that they say, of a picture that an option names.

        Parameters
        ----------
        given
            Whether there is that option.

        Raises
        ------
        ArgumentError
            They are given without it, or say no size.
        """
        from pyrave.errors import ArgumentError
        from pyrave.pictures import Viewpoint, size_of

        if self != ViewOptions() and not given:
            raise ArgumentError(
                "--eye, --target, --size and --zoom are of a picture, name it with "
                f"{option}"
            )
        return Viewpoint(self.eye, self.target, size_of(self.size), self.zoom)


def file_arguments(words: tuple[str, ...]) -> dict[str, str]:
    """Return the values of ``name:=value`` words.

    Raises
    ------
    ArgumentError
        A word is something else.
    """
    from pyrave.errors import ArgumentError

    found = {}
    for word in words:
        name, mark, value = word.partition(":=")
        if not (mark and name):
            raise ArgumentError(
                f"{word!r} is no argument of a file, expected name:=value"
            )
        found[name] = value
    return found

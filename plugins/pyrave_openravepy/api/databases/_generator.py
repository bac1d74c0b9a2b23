"""`DatabaseGenerator`: the base of the classes of databases."""

# ruff: noqa: ARG004

from __future__ import annotations

import optparse
from typing import Any, ClassVar, Self

import pyrave
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.guard import Guarded
from pyrave_openravepy.api.foundation.objects import as_native
from pyrave_openravepy.api.metaclass import AutoReloader
from pyrave_openravepy.api.misc.arguments import OpenRAVEGlobalArguments

__all__ = ["DatabaseGenerator"]


class DatabaseGenerator(AutoReloader, Guarded):
    """A database of a robot: `load` it, or `generate` and `save` it.

    Parameters
    ----------
    robot
        A robot, or a body for those that take one.
    """

    kind: ClassVar[str] = ""
    version: ClassVar[int] = 1

    def __init__(self, robot: Any) -> None:
        self.robot = robot
        self.env = robot.GetEnv()
        has_arms = hasattr(robot, "GetActiveManipulator")
        self.manip: Any = robot.GetActiveManipulator() if has_arms else None
        self._database: Any = None

    # -- what a class writes ---------------------------------------------------------

    def _new_database(self, **parameters: Any) -> Any:
        """Return pyrave's database; parameters are OpenRAVE's, by their names."""
        raise openrave_exception(f"{type(self).__name__} has no database of its own")

    def _take(self) -> None:
        """Set the attributes of results, which scripts read."""

    # -- results ---------------------------------------------------------------------

    @property
    def _native(self) -> Any:
        if self._database is None:
            self._database = self._new_database()
        return self._database

    def _results(self) -> Any:
        """Return pyrave's database with its results, which are loaded if need be."""
        found = self._native
        try:
            _ = found.arrays
        except pyrave.StateError:
            found.load()
        return found

    def clone(self, envother: Any) -> Self:
        made = object.__new__(type(self))
        made.__dict__.update(vars(self))
        made.env, made._database = envother, None
        made.robot = envother.GetKinBody(self.robot.GetName())
        if self.manip is not None:
            made.manip = made.robot.GetManipulator(self.manip.GetName())
        made.load()
        return made

    def has(self) -> bool:
        return self._database is not None and bool(self._database.is_current)

    def getversion(self) -> int:
        return self.version

    def load(self, *args: Any, **kwargs: Any) -> bool:
        try:
            self._native.load()
        except pyrave.StateError:
            return False
        self._take()
        return True

    def save(self, *args: Any, **kwargs: Any) -> None:
        # a database keeps its results itself as soon as it has them
        self._results()

    def generate(self, *args: Any, **kwargs: Any) -> None:
        self._database = self._new_database(**kwargs)
        self._database.build()
        self._take()

    def autogenerate(self, *args: Any, **kwargs: Any) -> None:
        options = args[0] if args else kwargs.get("options")
        self.generate(**self._parameters_of(options))
        self.save()

    def _parameters_of(self, options: Any) -> dict[str, Any]:
        """Return the parameters that the options of a program say."""
        return {}

    def getfilename(self, read: bool = False) -> str:
        path = self._native.path
        return "" if read and not path.exists() else str(path)

    def show(self, *args: Any, **kwargs: Any) -> Any:
        return self._results().show()

    # -- programs --------------------------------------------------------------------

    @staticmethod
    def CreateOptionParser(useManipulator: bool = True) -> Any:
        parser = optparse.OptionParser(
            usage="%prog [options]", description="A database of a robot."
        )
        OpenRAVEGlobalArguments.addOptions(parser)
        parser.add_option("--robot", dest="robot", help="File of the robot.")
        if useManipulator:
            parser.add_option(
                "--manipname", dest="manipname", help="Name of the manipulator."
            )
        for flag, text in (
            ("--show", "Show the results."),
            ("--getfilename", "Print the name of the file."),
            ("--gethas", "Print 1 if there are results, else 0."),
        ):
            parser.add_option(
                flag, action="store_true", dest=flag[2:], default=False, help=text
            )
        return parser

    @staticmethod
    def InitializeFromParser(
        Model: Any = None,
        parser: Any = None,
        robotatts: Any = None,
        defaultviewer: Any = False,
        args: Any = None,
        allowkinbody: bool = False,
        env: Any = None,
        **kwargs: Any,
    ) -> Any:
        """Return an environment, a model and options, as the words of a program say."""
        options, _ = (parser or DatabaseGenerator.CreateOptionParser()).parse_args(args)
        if not options.robot:
            raise openrave_exception("--robot is missing, expected the file of a robot")
        if env is None:
            env = OpenRAVEGlobalArguments.parseAndCreate(options)
        if not env.Load(options.robot):
            raise openrave_exception(f"--robot: {options.robot} is not loaded")
        found = env.GetRobots() or (env.GetBodies() if allowkinbody else [])
        if not found:
            raise openrave_exception(f"--robot: {options.robot} has no robot")
        robot = found[0]
        name = getattr(options, "manipname", None)
        if name:
            robot.SetActiveManipulator(name)
        return env, Model(robot), options

    @staticmethod
    def RunFromParser(
        Model: Any = None,
        parser: Any = None,
        args: Any = None,
        **kwargs: Any,
    ) -> Any:
        """Compute or show a database, as the words of a program say."""
        _, model, options = DatabaseGenerator.InitializeFromParser(
            Model, parser, args=args, **kwargs
        )
        if options.gethas:
            print(int(model.load()))  # noqa: T201 - what the program is asked for
            raise SystemExit(0)
        if options.getfilename:
            print(model.getfilename())  # noqa: T201
            raise SystemExit(0)
        if not model.load():
            model.autogenerate(options)
        if options.show:
            model.show(options)
        return model


def arm_of(model: DatabaseGenerator) -> pyrave.Manipulator:
    """Return pyrave's manipulator of a model."""
    if model.manip is None:
        raise openrave_exception(f"{model.robot.GetName()} has no active manipulator")
    arm: pyrave.Manipulator = as_native(model.manip)
    return arm

"""Checks of modules."""
# ruff: noqa: D103 - each decorator states what its function checks

from __future__ import annotations

from pyrave.interfaces.module import ModuleBase
from pyrave.testing.checks import check, require
from pyrave.testing.scene import failures
from pyrave.testing.subject import Subject


@check("main", "main(args) returns an int, 0 when all is well.", "main")
def main(subject: Subject) -> None:
    module: ModuleBase = subject.make()
    code = module.main("")
    require(
        isinstance(code, int) and not isinstance(code, bool),
        f"main('') returned {code!r}",
        "end main with `return 0`",
    )
    require(
        code == 0,
        f"main('') returned {code}: the module refuses to start without arguments",
        "give every argument a default; other values than 0 are failures",
    )


@check(
    "step", "simulation_step(dt) returns a bool: whether it worked.", "simulation_step"
)
def step(subject: Subject) -> None:
    module: ModuleBase = subject.make()
    subject.env.add(module)
    answer = module.simulation_step(0.01)
    require(
        isinstance(answer, bool),
        f"it returned {answer!r}",
        "return True, or False when there was nothing to do",
    )


@check(
    "reset", "reset() may be called any number of times, also before a step.", "reset"
)
def reset(subject: Subject) -> None:
    module: ModuleBase = subject.make()
    subject.env.add(module)
    module.reset()
    first = module.get_state()
    module.reset()
    from pyrave.testing.compare import difference

    found = difference(first, module.get_state())
    require(
        found is None,
        f"a second reset changed the state: {found}",
        "reset returns to the state after main, whatever came before",
    )
    subject.env.step(0.01)
    subject.env.reset()
    require(
        not failures(subject.env),
        "env.reset() reported a failure of the module",
    )


@check("destroy", "destroy() may be called twice.", "destroy")
def destroy(subject: Subject) -> None:
    module: ModuleBase = subject.make()
    subject.env.add(module)
    module.destroy()
    module.destroy()
    subject.env.remove(module)


@check("several", "Two modules of one id live side by side under different names.")
def several(subject: Subject) -> None:
    first, second = subject.make(), subject.make()
    subject.env.add(first)
    subject.env.add(second)
    require(
        first.name != second.name and len(subject.env.modules) >= 2,
        f"both are named {first.name!r}",
        "do not override the name property of ModuleBase",
    )
    subject.env.step(0.01)
    require(
        not failures(subject.env),
        "; ".join(map(str, subject.env.problems)),
    )

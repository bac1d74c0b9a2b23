"""A collision checker that finds what a test tells it to find."""

from pyrave.interfaces import CollisionCheckerBase, CollisionOptions


class ToldChecker(CollisionCheckerBase):
    """Finds the collisions in `touching`; notes what it is asked and told.

    Attributes
    ----------
    touching
        Pairs of names of links or bodies that touch.
    asked
        Names of each pair that was checked.
    told
        ``("init", name)`` and ``("remove", name)`` of bodies that came and went.
    """

    contract = 2

    def __init__(self, env, *args):
        super().__init__(env, *args)
        self.touching = set()
        self.asked = []
        self.told = []

    def touch(self, *pairs):
        self.touching = {frozenset(pair) for pair in pairs}

    def set_collision_options(self, options): ...

    def get_collision_options(self):
        return CollisionOptions.NONE

    def set_tolerance(self, tolerance): ...

    def init_environment(self): ...

    def destroy_environment(self): ...

    def init_kinbody(self, body):
        self.told.append(("init", body.name))

    def remove_kinbody(self, body):
        self.told.append(("remove", body.name))

    def check_collision(
        self, first, second=None, *, excluded_bodies=(), excluded_links=(), report=None
    ):
        self.asked.append((first.name, second.name))
        return frozenset((first.name, second.name)) in self.touching

    def check_ray(self, origin, direction, target=None, report=None):
        return False

    def check_self_collision(self, subject, report=None):
        return False


def installed(env, checker=ToldChecker):
    """Return a checker of the class, which the environment uses from now on."""
    env.register("collisionchecker", "Told", checker)
    made = env.create("collisionchecker", "Told")
    env.add(made)
    return made

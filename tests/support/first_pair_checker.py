"""A collision checker as others write it: bounding boxes, and the first pair alone."""

import numpy as np

from pyrave.interfaces import (
    CollisionCheckerBase,
    CollisionOptions,
    CollisionPair,
    CollisionSide,
)


class FirstPairChecker(CollisionCheckerBase):
    """Compares boxes of links, stops at the first that touch, and asks nobody."""

    contract = 2

    def __init__(self, env, *args):
        super().__init__(env, *args)
        self._options = CollisionOptions.NONE
        self.reports = True
        self.queries = 0
        self.own_pairs = None
        """Pairs of links of one body that touch; None: those whose boxes do."""

    def set_collision_options(self, options):
        self._options = options

    def get_collision_options(self):
        return self._options

    def set_tolerance(self, tolerance): ...

    def init_environment(self): ...

    def destroy_environment(self): ...

    def init_kinbody(self, body): ...

    def remove_kinbody(self, body): ...

    def check_ray(self, origin, direction, target=None, report=None):
        return False

    def check_collision(
        self, first, second=None, *, excluded_bodies=(), excluded_links=(), report=None
    ):
        self.queries += 1
        own = getattr(first, "links", [first])
        others = (
            [link for body in self.env.bodies for link in body.links]
            if second is None
            else getattr(second, "links", [second])
        )
        left_out = [one.links for one in excluded_bodies] + [excluded_links]
        left_out = {link for links in left_out for link in links}
        found = (
            (a, b)
            for a in own
            for b in others
            if a.body is not b.body and not {a, b} & left_out and _touch(a, b)
        )
        return self._first(found, report)

    def check_self_collision(self, subject, report=None):
        self.queries += 1
        body = getattr(subject, "body", subject)
        pairs = self.own_pairs
        if pairs is None:
            links = body.links
            both = ((links[a], links[b]) for a, b in body.non_adjacent_links)
            pairs = [pair for pair in both if _touch(*pair)]
        found = (pair for pair in pairs if subject is body or subject in pair)
        return self._first(found, report)

    def pairs(self, found):
        """Yield pairs of links as pairs of a report."""
        for one in found:
            yield CollisionPair(*map(CollisionSide.of_link, one))

    def _first(self, found, report):
        pair = next(iter(self.pairs(found)), None)
        if pair is not None and report is not None and self.reports:
            report.pairs.append(pair)
        return pair is not None


def _touch(one, other):
    (center, half), (its_center, its_half) = one.aabb, other.aabb
    return bool(np.all(np.abs(center - its_center) <= half + its_half))

"""Template of a collision checker: boxes around links."""

from pyrave.plugins.templates.base import TypeTemplate

_SOURCE = '''
_KNOWN = CollisionOptions.ALL_LINK_COLLISIONS | CollisionOptions.IGNORE_CALLBACKS


class @id@(CollisionCheckerBase):
    """Compares axis-aligned boxes around links.

    It never misses a collision, but boxes of rotated links are too large: bodies that
    are close may be found in collision.
    """

    contract = 1

    @override@ __init__
        super().__init__(env, *args)
        self._options = CollisionOptions.NONE
        self._tolerance = 0.0

    @override@ set_collision_options
        if options & ~_KNOWN:
            raise NotSupportedError(f"{self!r} cannot do {options & ~_KNOWN!r}")
        self._options = CollisionOptions(options)

    @override@ get_collision_options
        return self._options

    @override@ set_tolerance
        if not 0.0 <= tolerance < np.inf:
            raise ArgumentError(f"the tolerance is {tolerance}, expected 0 or more")
        self._tolerance = tolerance

    @override@ init_environment
        # nothing to set up: each query asks the links for their boxes

    @override@ destroy_environment

    @override@ init_kinbody

    @override@ remove_kinbody

    @override@ check_collision
        self._begin(report)
        # whatever moves with the subject does not collide with it
        ignored = {*map(id, _group(_body(first))), *map(id, excluded_bodies)}
        if second is None:
            others = [body for body in self.env.bodies if id(body) not in ignored]
            right = [link for body in others for link in body.links if link.enabled]
        else:
            right = _links(second)
        unwanted = {(link.body.name, link.name) for link in excluded_links}
        left, right = (
            [link for link in links if (link.body.name, link.name) not in unwanted]
            for links in (_links(first), right)
        )
        return self._pairs(((a, b) for a in left for b in right), report)

    @override@ check_ray
        self._begin(report)
        start = as_vector(origin, 3, "origin")
        ray = as_vector(direction, 3, "direction")
        bodies = self.env.bodies if target is None else (target,)
        for link in (link for body in bodies for link in _links(body)):
            box = self._box(link)
            if box is not None and _ray_meets_box(start, ray, *box):
                if report is not None:
                    side = CollisionSide.of_link(link)
                    report.pairs.append(CollisionPair(side))
                return True
        return False

    @override@ check_self_collision
        self._begin(report)
        body = _body(subject)
        links = body.links
        pairs = ((links[a], links[b]) for a, b in body.non_adjacent_links)
        return self._pairs(
            (
                (a, b)
                for a, b in pairs
                if (body is subject or subject.name in {a.name, b.name})
                and a.enabled
                and b.enabled
            ),
            report,
        )

    def _begin(self, report: CollisionReport | None) -> None:
        if report is not None:
            report.reset()
            report.options = self._options

    def _pairs(
        self, pairs: Iterable[tuple[Link, Link]], report: CollisionReport | None
    ) -> bool:
        found = False
        for a, b in pairs:
            one, other = self._box(a), self._box(b)
            if one is None or other is None:
                continue
            if np.all(np.abs(one[0] - other[0]) <= one[1] + other[1]):
                found = True
                if report is not None:
                    sides = CollisionSide.of_link(a), CollisionSide.of_link(b)
                    report.pairs.append(CollisionPair(*sides))
                if not self._options & CollisionOptions.ALL_LINK_COLLISIONS:
                    break
        return found

    def _box(self, link: Link) -> tuple[Array, Array] | None:
        """Return centre and half extents, None without geometry."""
        box = link.aabb
        return None if box is None else (box[0], box[1] + self._tolerance / 2)


def _body(subject: KinBody | Link) -> KinBody:
    return subject if isinstance(subject, KinBody) else subject.body


def _group(body: KinBody) -> list[KinBody]:
    """Return a body and all that it holds."""
    return [body, *(one for held in body.grabbed for one in _group(held))]


def _links(subject: KinBody | Link) -> list[Link]:
    """Return the enabled links of a subject; grabbed bodies belong to their holder."""
    if not isinstance(subject, KinBody):
        return [subject] if subject.enabled else []
    return [link for body in _group(subject) for link in body.links if link.enabled]


def _ray_meets_box(start: Array, ray: Array, centre: Array, half: Array) -> bool:
    """Return whether a part of the ray, 0 to 1 along it, is inside of a box."""
    slope = np.where(np.abs(ray) < 1e-12, 1e-12, ray)
    ends = np.sort([(c - start) / slope for c in (centre - half, centre + half)], 0)
    return bool(max(ends[0].max(), 0.0) <= min(ends[1].min(), 1.0))
'''

_TEST = """
def test_bodies_collide_when_their_boxes_meet(scene):
    checker = scene.create("collisionchecker", "@id@")
    ball, arm = scene.bodies["ball"], scene.robots["arm"]
    ball.transform = [1, 0, 0, 0, 0, 0, 50]
    assert not checker.check_collision(ball)
    ball.transform = arm.transform
    report = pyrave.CollisionReport()
    assert checker.check_collision(ball, arm, report=report)
    assert report.pairs[0].first.body_name == "ball"
    assert not checker.check_collision(ball, arm, excluded_links=arm.links)


def test_rays_meet_boxes(scene):
    checker = scene.create("collisionchecker", "@id@")
    ball = scene.bodies["ball"]
    above = ball.aabb[0] + (0, 0, 1)
    for length, hit in ((-2, True), (-0.5, False), (2, False)):
        assert checker.check_ray(above, np.array((0, 0, length)), ball) is hit
"""

TEMPLATE = TypeTemplate(_SOURCE, _TEST, '  <collisionchecker type="@id@"/>\n')

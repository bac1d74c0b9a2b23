"""Template of a sensor system: poses that come from outside."""

from pyrave.plugins.templates.base import TypeTemplate

_SOURCE = '''
@dataclasses.dataclass
class Tracked:
    """The tracking data of a body."""

    body: weakref.ref[KinBody]
    data: Any = None
    enabled: bool = True
    seen: bool = False


class @id@(SensorSystemBase):
    """Moves bodies to poses that `update` is given, for example by a network client.

    A body is tracked when it was added, or when it has a readable ``@snake@``.
    """

    contract = 1

    @override@ __init__
        super().__init__(env, *args)
        self._tracked: dict[str, Tracked] = {}

    def update(self, name: str, transform: ArrayLike) -> bool:
        """Move a tracked body to a pose (4, 4) T_world_body; False if ignored."""
        record = self._tracked.get(name)
        body = record.body() if record else None
        if record is None or body is None or not record.enabled:
            return False
        record.seen = True
        with self.env.lock():
            body.transform = as_pose(transform, "transform")
        return True

    @override@ reset
        self._tracked.clear()

    @override@ add_registered_bodies
        for body in bodies:
            readable = body.readables.get("@snake@")
            if readable is not None:
                self.add_kinbody(body, readable)

    @override@ add_kinbody
        record = Tracked(weakref.ref(body), data)
        self._tracked[body.name] = record
        return record

    @override@ remove_kinbody
        return self._tracked.pop(body.name, None) is not None

    @override@ is_body_present
        record = self._tracked.get(body.name)
        return record is not None and record.seen

    @override@ enable_body
        record = self._tracked.get(body.name)
        if record is not None:
            record.enabled = enable
        return record is not None

    @override@ switch_body
        record = self._tracked.pop(first.name, None)
        if record is None:
            return False
        record.body = weakref.ref(second)
        self._tracked[second.name] = record
        return True
'''

_TEST = """
def test_tracked_bodies_move(scene):
    system = scene.create("sensorsystem", "@id@")
    ball, pose = scene.bodies["ball"], np.eye(4)
    pose[:3, 3] = 1, 2, 3
    assert not system.update("ball", pose)
    system.add_kinbody(ball)
    assert not system.is_body_present(ball)
    assert system.update("ball", pose)
    assert system.is_body_present(ball)
    np.testing.assert_allclose(ball.transform, pose)
    assert system.enable_body(ball, enable=False)
    assert not system.update("ball", np.eye(4))
"""

TEMPLATE = TypeTemplate(_SOURCE, _TEST, '  <sensorsystem type="@id@"/>\n')

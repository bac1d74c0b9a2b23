"""Template of a collision checker: boxes around links."""

from pyrave.plugins.templates.base import TypeTemplate

_SOURCE = '''
class @id@(PairwiseChecker):
    """Compares axis-aligned boxes around links.

    It never misses a collision, but boxes of rotated links are too large: bodies that
    are close may be found in collision.
    """

    contract = 2

    @override@ check_pair
        one, other = first.aabb, second.aabb
        if one is None or other is None:
            return False
        return bool(np.all(np.abs(one[0] - other[0]) <= one[1] + other[1]))
'''

_TEST = """
def test_bodies_collide_when_their_boxes_meet(scene):
    checker = scene.set_collision_checker("@id@")
    ball, arm = scene.bodies["ball"], scene.robots["arm"]
    ball.transform = [1, 0, 0, 0, 0, 0, 50]
    assert not checker.check_collision(ball)
    ball.transform = arm.transform
    report = pyrave.CollisionReport()
    assert checker.check_collision(ball, arm, report=report)
    assert report.pairs[0].first.body_name == "ball"
    assert not checker.check_collision(ball, arm, excluded_links=arm.links)
"""

TEMPLATE = TypeTemplate(_SOURCE, _TEST, '  <collisionchecker type="@id@"/>\n')

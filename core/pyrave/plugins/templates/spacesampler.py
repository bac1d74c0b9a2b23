"""Template of a space sampler: an additive recurrence."""

from pyrave.plugins.templates.base import TypeTemplate

_SOURCE = '''
class @id@(SpaceSamplerBase):
    """Spreads points evenly over the unit cube with an additive recurrence.

    Point k has the fractional part of k times powers of a generalised golden ratio;
    the seed is the number of points to leave out.
    """

    contract = 1

    @override@ __init__
        super().__init__(env, *args)
        self.set_space_dof(1)

    @override@ get_dof
        return self._steps.size

    @override@ get_number_of_values
        return self._steps.size

    @override@ supports
        return kind == SampleDataType.REAL

    @override@ set_seed
        if seed < 0:
            raise ArgumentError(f"the seed is {seed}, expected 0 or more")
        self._next = 1 + seed

    @override@ set_space_dof
        if dof < 1:
            raise ArgumentError(f"the space has {dof} dimensions, expected 1 or more")
        ratio = 2.0
        for _ in range(64):  # the root of x**(dof + 1) == x + 1
            ratio = (1.0 + ratio) ** (1.0 / (dof + 1))
        self._steps = ratio ** -np.arange(1.0, dof + 1.0)
        self._next = 1

    @override@ sample_sequence
        if n < 0:
            raise ArgumentError(f"n is {n}, expected 0 or more samples")
        numbers = np.arange(self._next, self._next + n)
        self._next += n
        points = np.mod(0.5 + numbers[:, None] * self._steps, 1.0)
        smallest = np.finfo(np.float64).eps  # always inside of the open cube
        return np.asarray(np.clip(points, smallest, 1.0 - smallest))

    @override@ sample_complete
        kept, self._next = self._next, 1
        points = self.sample_sequence(n, interval)
        self._next = kept
        return points

    @override@ get_own_state
        return self.get_dof(), self._next

    @override@ set_own_state
        dof, place = state
        self.set_space_dof(dof)
        self._next = place
'''

_TEST = """
def test_points_spread_evenly(scene):
    sampler = scene.create("spacesampler", "@id@")
    sampler.set_space_dof(2)
    points = sampler.sample_sequence(1000)
    counts, _, _ = np.histogram2d(*points.T, bins=5, range=[[0, 1], [0, 1]])
    assert counts.min() > 30
    assert counts.max() < 50
"""

TEMPLATE = TypeTemplate(_SOURCE, _TEST, '  <spacesampler type="@id@"/>\n')

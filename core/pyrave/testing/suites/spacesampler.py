"""Checks of space samplers."""
# ruff: noqa: D103 - each decorator states what its function checks

from __future__ import annotations

import numpy as np

from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.interfaces import Interval, SampleDataType, SpaceSamplerBase
from pyrave.spatial import Array
from pyrave.testing.checks import NotApplicable, Violation, check, require
from pyrave.testing.subject import Subject


def _real(subject: Subject) -> SpaceSamplerBase:
    sampler: SpaceSamplerBase = subject.make()
    if not sampler.supports(SampleDataType.REAL):
        raise NotApplicable("it gives no real samples")
    return sampler


def _fresh(subject: Subject, seed: int) -> Array:
    sampler = _real(subject)
    _seeded(sampler, seed)
    return sampler.sample_sequence(20)


def _seeded(sampler: SpaceSamplerBase, seed: int) -> None:
    try:
        sampler.set_seed(seed)
    except NotSupportedError as error:
        raise NotApplicable(str(error)) from None


@check("dimension", "get_dof and get_number_of_values are ints >= 0.", "get_dof")
def dimension(subject: Subject) -> None:
    sampler: SpaceSamplerBase = subject.make()
    for name in ("get_dof", "get_number_of_values"):
        n = getattr(sampler, name)()
        require(
            isinstance(n, int) and n >= 0, f"{name}() returned {n!r}", "return an int"
        )
    require(
        sampler.get_number_of_values() >= sampler.get_dof(),
        "a sample has fewer values than the space has degrees of freedom",
    )


@check(
    "supports",
    "It supports a kind of samples; those it does not raise NotSupportedError.",
    "supports",
)
def supports(subject: Subject) -> None:
    sampler: SpaceSamplerBase = subject.make()
    kinds = [kind for kind in SampleDataType if sampler.supports(kind)]
    require(kinds, "supports() is False for every SampleDataType")
    if SampleDataType.REAL in kinds:
        sampler.sample_sequence(1)
    if SampleDataType.UINT32 in kinds:
        sampler.sample_sequence_uint32(1)
        return
    try:
        sampler.sample_sequence_uint32(1)
    except NotSupportedError:
        return
    raise Violation(
        "supports(UINT32) is False but integer samples are given",
        "leave sample_sequence_uint32 to the base class, or return True",
    )


@check(
    "shape",
    "sample_sequence(n) returns (n, n_values) float64, finite and within the limits.",
    "sample_sequence",
)
def shape(subject: Subject) -> None:
    sampler = _real(subject)
    width = sampler.get_number_of_values()
    lower, upper = sampler.get_limits()
    for name, bound in (("lower", lower), ("upper", upper)):
        require(
            np.shape(bound) == (width,),
            f"the {name} limits have shape {np.shape(bound)}, expected ({width},)",
        )
    for n in (1, 0, 7):
        points = sampler.sample_sequence(n)
        require(
            isinstance(points, np.ndarray)
            and points.ndim == 2
            and points.shape[1] == width
            and points.shape[0] <= n
            and points.dtype == np.float64,
            f"sample_sequence({n}) returned "
            f"{getattr(points, 'dtype', type(points).__name__)} of shape "
            f"{np.shape(points)}, expected ({n}, {width}) float64",
        )
        require(
            np.isfinite(points).all()
            and (points >= lower - 1e-12).all()
            and (points <= upper + 1e-12).all(),
            "a sample is not finite or outside of get_limits()",
        )


@check("refuses", "A negative number of samples raises ArgumentError.")
def refuses(subject: Subject) -> None:
    sampler = _real(subject)
    try:
        sampler.sample_sequence(-1)
    except ArgumentError:
        return
    raise Violation(
        "sample_sequence(-1) raised no ArgumentError",
        "raise pyrave.ArgumentError(f'n is {n}, expected 0 or more')",
    )


@check(
    "ends-of-the-range",
    "OPEN intervals never give an end of the range, CLOSED ones stay within it.",
    "sample_sequence",
)
def ends_of_the_range(subject: Subject) -> None:
    sampler = _real(subject)
    lower, upper = sampler.get_limits()
    wide = upper > lower
    for interval in Interval:
        try:
            points = sampler.sample_sequence(200, interval)
        except NotSupportedError:
            continue
        low, high = points[:, wide] <= lower[wide], points[:, wide] >= upper[wide]
        below, above = points[:, wide] < lower[wide], points[:, wide] > upper[wide]
        open_start = interval in {Interval.OPEN, Interval.OPEN_START}
        open_end = interval in {Interval.OPEN, Interval.OPEN_END}
        require(
            not (below.any() or above.any()),
            f"{interval.name}: a sample is outside of the limits",
        )
        require(
            not (open_start and low.any()) and not (open_end and high.any()),
            f"{interval.name}: a sample is at the open end of the range",
            "draw again, or use np.nextafter to move into the range",
        )


@check("seed", "set_seed starts a sequence that is the same each time.", "set_seed")
def seed(subject: Subject) -> None:
    if np.array_equal(_fresh(subject, 7), _fresh(subject, 8)):
        raise NotApplicable("it is not random: all seeds give the same sequence")
    sampler = _real(subject)
    _seeded(sampler, 7)
    first = sampler.sample_sequence(20)
    _seeded(sampler, 7)
    require(
        np.array_equal(first, sampler.sample_sequence(20)),
        "the same seed gave another sequence the second time",
        "start anew in set_seed: self._rng = np.random.default_rng(seed)",
    )
    require(
        np.array_equal(first, _fresh(subject, 7)), "two samplers of one seed differ"
    )


@check("global-state", "Sampling does not touch numpy's global random generator.")
def global_state(subject: Subject) -> None:
    sampler = _real(subject)
    before = np.random.get_state(legacy=False)  # noqa: NPY002 - it is what we guard
    sampler.sample_sequence(10)
    after = np.random.get_state(legacy=False)  # noqa: NPY002
    require(
        str(before) == str(after),
        "np.random's global generator was used",
        "keep self._rng = np.random.default_rng(seed)",
    )


@check("one-by-one", "n samples at once are the same as n samples one by one.")
def one_by_one(subject: Subject) -> None:
    first, second = _real(subject), _real(subject)
    for sampler in (first, second):
        _seeded(sampler, 3)
    together = first.sample_sequence(5)
    alone = [second.sample_sequence(1) for _ in range(5)]
    require(
        np.array_equal(together, np.concatenate(alone)),
        "sample_sequence(5) differs from five times sample_sequence(1)",
        "draw sample by sample: rng.random((n, n_values)) does",
    )


@check("complete", "sample_complete(n) returns (n, n_values), or NotSupportedError.")
def complete(subject: Subject) -> None:
    sampler = _real(subject)
    try:
        points = sampler.sample_complete(4)
    except NotSupportedError as error:
        raise NotApplicable(str(error)) from None
    require(
        np.ndim(points) == 2 and points.shape[1] == sampler.get_number_of_values(),
        f"it returned shape {np.shape(points)}",
    )


@check(
    "space",
    "set_space_dof changes the dimension of samples, or raises NotSupportedError.",
    "set_space_dof",
)
def space(subject: Subject) -> None:
    sampler = _real(subject)
    try:
        sampler.set_space_dof(3)
    except NotSupportedError as error:
        raise NotApplicable(str(error)) from None
    require(
        sampler.get_dof() == 3
        and sampler.sample_sequence(2).shape == (2, sampler.get_number_of_values()),
        f"after set_space_dof(3) the dimension is {sampler.get_dof()}",
    )


@check("resumes", "A sampler that gets a twin's state goes on with the same samples.")
def resumes(subject: Subject) -> None:
    sampler, twin = _real(subject), _real(subject)
    sampler.sample_sequence(3)
    kept = sampler.get_state()
    if kept is None:
        raise NotApplicable("it has no state")
    twin.set_state(kept)
    require(
        np.array_equal(sampler.sample_sequence(4), twin.sample_sequence(4)),
        "the twin goes on with other samples",
        "the state holds the generator's: self._rng.bit_generator.state",
    )

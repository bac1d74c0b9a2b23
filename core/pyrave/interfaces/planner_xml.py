"""Parameters of planners as OpenRAVE's XML text."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyrave.errors import shown
from pyrave.trajectories import xml_input
from pyrave.trajectories.specification import ConfigurationSpecification

ROOT = "PlannerParameters"
_VECTORS = {
    "_vinitialconfig": "initial_configuration",
    "_vgoalconfig": "goal_configuration",
    "_vinitialconfigvelocities": "initial_velocities",
    "_vgoalconfigvelocities": "goal_velocities",
    "_vconfiglowerlimit": "lower_limits",
    "_vconfigupperlimit": "upper_limits",
    "_vconfigvelocitylimit": "velocity_limits",
    "_vconfigaccelerationlimit": "acceleration_limits",
    "_vconfigjerklimit": "jerk_limits",
    "_vconfigresolution": "resolutions",
}
_ITERATIONS, _SEED = "_nmaxiterations", "_nrandomgeneratorseed"
_COUNTS = {_ITERATIONS: "max_iterations", _SEED: "random_seed"}
_MILLISECONDS, _STEP = "_nmaxplanningtime", "_fsteplength"
_POST = "_postprocessing"


def write(parameters: Any) -> str:
    """Return the element of `PlannerParameters`, without functions and weights."""
    lines = [f"<{ROOT}>"]
    if parameters.dof:
        lines.append(parameters.specification.to_xml())
    for tag, name in _VECTORS.items():
        values = np.asarray(getattr(parameters, name), float).ravel()
        if values.size:
            lines.append(_element(tag, " ".join(map(repr, values.tolist()))))
    for tag, name in _COUNTS.items():
        lines.append(_element(tag, str(int(getattr(parameters, name)))))
    time = round(1e3 * parameters.max_planning_time)
    lines.extend((
        _element(_MILLISECONDS, str(time)),
        _element(_STEP, repr(float(parameters.step_length))),
    ))  # fmt: skip
    lines += [
        f"<{_POST} planner={xml_input.quoted(planner)}>{inner}</{_POST}>"
        for planner, inner in parameters.post_processing
    ]
    lines += [_element(tag, text) for tag, text in parameters.extra.items()]
    return "\n".join((*lines, f"</{ROOT}>"))


def read(parameters: Any, source: Any) -> None:
    """Set `PlannerParameters` to what text, bytes or an element say; others stay."""
    root = xml_input.parse(source)
    if xml_input.tag_of(root).lower() != ROOT.lower():
        raise xml_input.problem(
            f"expected <{ROOT}>, found <{xml_input.tag_of(root)}>", root
        )
    found: dict[str, Any] = {}
    extra = dict(parameters.extra)
    later: list[tuple[str, str]] = []
    for element in xml_input.child_elements(root):
        tag = xml_input.tag_of(element)
        known, text = tag.lower(), "".join(element.itertext()).strip()
        if known == "configuration":
            found["specification"] = ConfigurationSpecification.from_xml(element)
        elif known in _VECTORS:
            found[_VECTORS[known]] = _numbers(element, text)
        elif known in _COUNTS:
            found[_COUNTS[known]] = int(_number(element, text, whole=True))
        elif known == _MILLISECONDS:
            found["max_planning_time"] = 1e-3 * _number(element, text)
        elif known == _STEP:
            found["step_length"] = _number(element, text)
        elif known == _POST:
            planner = xml_input.attribute(element, "planner") or ""
            later.append((planner, "".join(map(_text_of, element))))
        else:
            # a trajectory, for example, is an element itself
            inner = "".join(map(_text_of, xml_input.child_elements(element)))
            extra[tag] = inner or text
    for name, value in found.items():
        setattr(parameters, name, value)
    parameters.extra = extra
    if later:
        parameters.post_processing = tuple(later)


def _numbers(element: Any, text: str) -> Any:
    try:
        return np.array([float(word) for word in text.split()])
    except ValueError:
        raise xml_input.problem(
            f"<{xml_input.tag_of(element)}> is {shown(text)}, expected numbers", element
        ) from None


def _number(element: Any, text: str, *, whole: bool = False) -> float:
    values = _numbers(element, text)
    fits = values.shape == (1,) and 0.0 <= values[0] < np.inf
    if not fits or (whole and values[0] != int(values[0])):
        kind = "whole number" if whole else "number"
        raise xml_input.problem(
            f"<{xml_input.tag_of(element)}> is {shown(text)}, expected a {kind} >= 0",
            element,
        )
    return float(values[0])


def _element(tag: str, text: str) -> str:
    name = xml_input.tag_text(tag)
    return f"<{name}>{xml_input.quoted(text)[1:-1]}</{name}>"


def _text_of(element: Any) -> str:
    """Return an element as text."""
    name = xml_input.tag_text(xml_input.tag_of(element))
    attributes = "".join(
        f" {xml_input.tag_text(key)}={xml_input.quoted(value)}"
        for key, value in element.attrib.items()
    )
    inner = xml_input.quoted(element.text or "")[1:-1]
    return f"<{name}{attributes}>{inner}{''.join(map(_text_of, element))}</{name}>"

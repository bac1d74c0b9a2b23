"""Any call with any arguments ends in a value or in `openrave_exception`."""

import numpy as np


def values_of(openravepy, body):
    """Return arguments of all kinds, most of them wrong for most calls."""
    numbers = (0, 1, -1, 5, 1e9, float("nan"), True, 3 + 2j)
    texts = ("", "x", "self", b"x")
    lists = ([], [1], [0, 1], [1, 2, 3], list(range(7)), {}, {0: [1] * 6})
    arrays = (np.eye(4), np.zeros((3, 3)), np.zeros(body.GetDOF()))
    infos = [
        getattr(openravepy.KinBody, f"{name}Info")()
        for name in ("Geometry", "Link", "Joint", "KinBody", "Grabbed")
    ]
    parts = (body, body.GetLinks()[0], body.GetJoints()[0])
    boxes = (openravepy.AABB(), openravepy.TriMesh(), openravepy.CollisionReport())
    return [None, object(), *numbers, *texts, *lists, *arrays, *infos, *parts, *boxes]


def subjects_of(openravepy, body, other):
    link = body.GetLinks()[0]
    return [
        *(body, other, link, body.GetLinks()[-1], *body.GetJoints()[:1]),
        *(*link.GetGeometries()[:1], openravepy.AABB(), openravepy.OrientedBox()),
        *(openravepy.KinBody.GeometryInfo(), openravepy.KinBody.KinBodyInfo()),
        openravepy.KinBody.KinBodyStateSaver(body),
    ]


def methods_of(thing):
    kind = type(thing)
    return [
        name
        for name in dir(kind)
        # what Destroy leaves is nothing to go on with
        if name[0] != "_" and name != "Destroy"
        if callable(getattr(kind, name)) and not isinstance(getattr(kind, name), type)
    ]


def test_calls_end_in_values_or_in_openrave_exceptions(openravepy):
    env = openravepy.Environment()
    env.StopSimulation()
    assert env.Load("robots/heron7.robot.xml") or env.Load("scenes/demo.env.xml")
    body, other = env.GetRobots()[0], env.GetBodies()[-1]
    values = values_of(openravepy, body)
    seed = int(np.random.default_rng().integers(10**6))
    generator = np.random.default_rng(seed)

    def choice(items):
        return items[generator.integers(len(items))]

    answers = 0
    for _ in range(1000):
        # links and joints may be others than before
        subject = choice(subjects_of(openravepy, body, other))
        name = choice(methods_of(subject))
        arguments = [choice(values) for _ in range(choice((0, 0, 1, 1, 2, 3)))]
        try:
            getattr(subject, name)(*arguments)
            answers += 1
        except (openravepy.openrave_exception, openravepy.PlanningError):
            pass
        except BaseException as error:
            text = f"seed {seed}: {subject!r}.{name}{tuple(arguments)}"
            raise AssertionError(text) from error
        assert repr(subject)
    assert answers > 100
    env.Destroy()

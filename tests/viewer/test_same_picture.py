"""The browser and the renderer without one show the same from the same camera."""

from __future__ import annotations

import colorsys

import numpy as np
import pytest

import pyrave
from pyrave.geometry import Camera
from pyrave.pictures import draw

pytestmark = pytest.mark.slow

# one hue for each body, far from each other
HUES = {"red": 0.0, "yellow": 1 / 6, "green": 2 / 6, "cyan": 3 / 6, "blue": 4 / 6}
NOTHING = len(HUES)
SHAPES = {
    "red": '<Geom type="box"><Extents>0.3 0.2 0.1</Extents>{}</Geom>',
    "yellow": '<Geom type="cylinder"><Radius>0.15</Radius><Height>0.6</Height>'
    "{}</Geom>",
    "green": '<Geom type="sphere"><radius>0.25</radius>{}</Geom>',
    "cyan": '<Geom type="box"><Extents>1.2 1.2 0.01</Extents>{}</Geom>',
}
PLACES = {
    "red": "0.4 0.2 0.5", "yellow": "-0.5 0.1 0.4", "green": "0.1 -0.6 0.6",
    "cyan": "0 0 0",
}  # fmt: skip


def colored(name):
    color = " ".join(map(str, colorsys.hsv_to_rgb(HUES[name], 0.8, 0.8)))
    return f"<diffuseColor>{color}</diffuseColor>"


def scene():
    """Bodies that are instances, and a robot, whose links are nodes in each other."""
    bodies = "".join(
        f'<KinBody name="{name}"><Body><Translation>{PLACES[name]}</Translation>'
        f"<RotationAxis>1 2 3 {40 * (name != 'cyan')}</RotationAxis>"
        f"{shape.format(colored(name))}</Body></KinBody>"
        for name, shape in SHAPES.items()
    )
    box = f'<Geom type="box"><Extents>0.08 0.05 0.2</Extents>{colored("blue")}</Geom>'
    links = "".join(
        f'<Body name="l{k}"><Translation>0.5 -0.5 {0.2 + 0.4 * k}</Translation>{box}'
        "</Body>"
        for k in range(3)
    )
    joints = "".join(
        f'<Joint name="j{k}" type="hinge"><Body>l{k - 1}</Body><Body>l{k}</Body>'
        f"<OffsetFrom>l{k}</OffsetFrom><Axis>1 {k} 0</Axis></Joint>"
        for k in (1, 2)
    )
    robot = f'<Robot name="blue"><KinBody>{links}{joints}</KinBody></Robot>'
    return f"<Environment>{bodies}{robot}</Environment>"


def segments(image):
    """Which body is in each pixel, by its hue; `NOTHING` where it is grey."""
    red, green, blue = np.moveaxis(image.astype(float), 2, 0)
    top, low = image.max(axis=2).astype(float), image.min(axis=2).astype(float)
    span = np.maximum(top - low, 1e-9)
    hue = np.select(
        [top == red, top == green],
        [(green - blue) / span % 6, (blue - red) / span + 2],
        (red - green) / span + 4,
    ) / 6  # fmt: skip
    wanted = np.array(list(HUES.values()))
    away = np.abs((hue[..., None] - wanted + 0.5) % 1.0 - 0.5)
    return np.where((top - low) / np.maximum(top, 1) > 0.25, away.argmin(2), NOTHING)


CAMERAS = {
    "from above": Camera.look_at((1.5, -2.0, 1.8), (0, 0, 0.4), width=320, height=240),
    "wide": Camera.look_at(
        (-1.2, -1.0, 0.9), (0, 0, 0.4), width=320, height=200, field_of_view=1.4
    ),
    "tall": Camera.look_at((0.2, 2.6, 1.2), (0, 0, 0.4), width=200, height=260),
}


@pytest.fixture
def page(chromium, tabs, until):
    env = pyrave.Environment()
    env.load_string(scene())
    robot = env.robots["blue"]
    robot.dof_values = [0.7, -0.9]
    viewer = env.show(browser=False)
    viewer.set_background_color((0.5, 0.5, 0.5))
    viewer.session.stage.grid = False
    tabs(viewer.address).page.get_by_text("Rest values").wait_for()
    until(viewer.session.server.get_clients, "connecting")
    yield env, viewer
    viewer.close()


def image_of(client, camera):
    from pyrave_viser.shown.quaternions import quaternions_of

    pose = camera.pose
    return client.get_render(
        camera.height, camera.width, timeout=60.0, transport_format="png",
        wxyz=quaternions_of(pose[None, :3, :3])[0], position=pose[:3, 3],
        fov=2.0 * float(np.arctan2(0.5 * camera.height, camera.lens.fy)),
    )[..., :3].astype(float)  # fmt: skip


def test_each_pixel_shows_the_same_body_in_like_shades(page, until):
    env, viewer = page
    (client,) = viewer.session.server.get_clients().values()
    for name, camera in CAMERAS.items():
        picture = draw(env.visual_scene, camera).astype(float)
        wanted = segments(picture)
        shares = np.bincount(wanted.ravel(), minlength=NOTHING + 1) / wanted.size
        assert (shares > 0.005).all(), name

        def compare(camera=camera, picture=picture, wanted=wanted):
            image = image_of(client, camera)
            shades = [
                np.abs(np.median(image[wanted == k] - picture[wanted == k], axis=0))
                for k in range(NOTHING)
            ]
            return (segments(image) != wanted).mean(), np.max(shades)

        # the page fades in
        until(lambda look=compare: look()[0] < 0.01, name, 60.0)
        assert compare()[1] < 60.0

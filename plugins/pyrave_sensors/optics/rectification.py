"""Rectifying two cameras: images in which a point has the same row."""

from __future__ import annotations

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.geometry import Camera, Lens
from pyrave.spatial import Array


def rectify(first: Camera, second: Camera) -> tuple[Camera, Camera]:
    """Return the two cameras turned towards a common image plane.

    A. Fusiello, E. Trucco, A. Verri, "A compact algorithm for rectification of stereo
    pairs", Machine Vision and Applications 12, 2000: the new x axis is along the line
    between the cameras, z as near as possible to the first one's. Both get the first
    camera's size and lens, without its skew and distortion.

    Raises
    ------
    ArgumentError
        The cameras are at one place, or one of them is straight ahead of the other.
    """
    between = second.pose[:3, 3] - first.pose[:3, 3]
    length = float(np.sqrt(between @ between))
    if not length > 1e-9:
        raise ArgumentError("two cameras at the same place see no disparity")
    x = between / length
    if x @ first.pose[:3, 0] < 0:
        # the second camera is on the left: disparities are negative
        x = -x
    y = np.cross(first.pose[:3, 2], x)
    height = float(np.sqrt(y @ y))
    if not height > 1e-6:
        raise ArgumentError(
            "the second camera is straight ahead of the first: the images cannot be "
            "rectified"
        )
    y = y / height
    rotation = np.column_stack((x, y, np.cross(x, y)))
    k = first.lens
    lens = Lens(k.fx, k.fy, k.cx, k.cy)
    left, right = (
        Camera(_posed(rotation, one.pose[:3, 3]), first.width, first.height, lens)
        for one in (first, second)
    )
    return left, right


def rectified(camera: Camera, homography: Array, size: tuple[int, int]) -> Camera:
    """Return the camera that takes another one's image after a homography.

    A homography of an image is another camera at the same place: a pixel p of its image
    looks along K^-1 H^-1 p, and the QR decomposition of that matrix is a rotation and
    the inverse of a lens.

    Parameters
    ----------
    homography
        (3, 3) H, from pixels of the image without distortion to those of the new one.
    size
        Width and height of the new image, pixels.

    Raises
    ------
    ArgumentError
        The homography mirrors the image or makes it a line.
    """
    try:
        back = np.linalg.inv(homography @ camera.lens.matrix)
    except np.linalg.LinAlgError:
        back = np.zeros((3, 3))
    if not (np.isfinite(back).all() and np.abs(np.linalg.det(back)) > 1e-300):
        raise ArgumentError(f"the rectification {homography.tolist()} is singular")
    # homographies count up to a factor, which may be negative
    if np.linalg.det(back) < 0:
        back = -back
    rotation, upper = np.linalg.qr(back)
    signs = np.where(np.diag(upper) < 0, -1.0, 1.0)
    rotation, upper = rotation * signs, upper * signs[:, None]
    matrix = np.linalg.inv(upper)
    matrix = matrix / matrix[2, 2]
    if rotation[2, 2] <= 0:
        raise ArgumentError(
            f"the rectification {homography.tolist()} mirrors the image, or turns it "
            "away from what the camera sees"
        )
    lens = Lens(matrix[0, 0], matrix[1, 1], matrix[0, 2], matrix[1, 2], matrix[0, 1])
    pose = _posed(camera.pose[:3, :3] @ rotation, camera.pose[:3, 3])
    return Camera(pose, *size, lens)


def _posed(rotation: Array, place: Array) -> Array:
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = rotation, place
    return pose

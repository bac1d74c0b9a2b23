"""`Environment`: a world of bodies, robots and sensors."""

from __future__ import annotations

from pyrave_openravepy.api import enums
from pyrave_openravepy.api.environment.clock import EnvironmentClock
from pyrave_openravepy.api.environment.collisions import EnvironmentCollisions
from pyrave_openravepy.api.environment.contents import EnvironmentContents
from pyrave_openravepy.api.environment.copies import EnvironmentCopies
from pyrave_openravepy.api.environment.data import EnvironmentData
from pyrave_openravepy.api.environment.drawings import EnvironmentDrawings
from pyrave_openravepy.api.environment.files import EnvironmentFiles
from pyrave_openravepy.api.environment.infos import (
    EnvironmentBaseInfo,
    EnvironmentInfos,
)
from pyrave_openravepy.api.environment.meshes import EnvironmentMeshes
from pyrave_openravepy.api.environment.published import EnvironmentPublished
from pyrave_openravepy.api.environment.viewers import EnvironmentViewers
from pyrave_openravepy.api.foundation.objects import register_kind

__all__ = ["Environment"]


class Environment(
    EnvironmentClock,
    EnvironmentCollisions,
    EnvironmentContents,
    EnvironmentDrawings,
    EnvironmentFiles,
    EnvironmentMeshes,
    EnvironmentPublished,
    EnvironmentViewers,
    # of the part that all the others have their number and name from
    EnvironmentCopies,
    EnvironmentData,
    EnvironmentInfos,
):
    """A world of bodies, robots and sensors; it lives until `Destroy`."""

    SelectionOptions = enums.SelectionOptions
    EnvironmentBaseInfo = EnvironmentBaseInfo


register_kind("environment", Environment)

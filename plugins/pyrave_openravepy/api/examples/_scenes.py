"""Scenes of several examples."""

from __future__ import annotations

__all__ = ["EYE", "solid"]


def solid(link: str) -> str:
    """Return XML of a robot that gives a link a small box, which has a mass."""
    return (
        f'<kinbody><body name="{link}"><mass type="box"><total>0.5</total>'
        "<extents>0.02 0.02 0.02</extents></mass><geom type='box'>"
        "<extents>0.02 0.02 0.02</extents></geom></body></kinbody>"
    )


EYE = """<environment>
<kinbody name="table" file="objects/table.kinbody.xml"/>
<robot name="heron7" file="robots/heron7.robot.xml">
  <rotationaxis>0 0 1 180</rotationaxis><translation>0.45 0 0.72</translation>
  <jointvalues>0 0.1 0 1.2 0 0.9 0 0.03</jointvalues>
  <attachedsensor name="eye">
    <link>palm</link><translation>0.09 0 0.08</translation>
    <sensor type="BaseCamera">
      <KK>320 320 160 120</KK><width>320</width><height>240</height>
      <framerate>10</framerate>
    </sensor>
  </attachedsensor>
</robot>
<kinbody name="mug" file="objects/mug.kinbody.xml">
  <translation>-0.08 -0.3 0.72</translation>
</kinbody>
<kinbody name="brick" file="objects/brick.kinbody.xml">
  <translation>-0.12 0.2 0.72</translation>
</kinbody>
</environment>"""
"""An arm with a camera in its hand before a table with a mug and a brick."""

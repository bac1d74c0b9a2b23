"""A URDF with everything in it, and an SRDF for it, for fuzzing."""

from __future__ import annotations

from mesh_seeds import words

__all__ = ["SRDFS", "SRDF_WORDS", "URDFS", "URDF_WORDS"]

_WHOLE = b"""<robot name="all" version="1.0">
<material name="red"><color rgba="1 0 0 0.5"/><texture filename="none.png"/></material>
<link name="a"><inertial><origin xyz="0 0 1" rpy="1 2 3"/><mass value="2"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
<visual name="v"><geometry><box size="1 2 3"/></geometry><material name="red"/>
</visual>
<collision><origin xyz="1 0 0"/>
<geometry><cylinder radius="1" length="2"/></geometry>
</collision><contact><geometry><sphere radius="1"/></geometry><limit normal_force="5"/>
</contact><contact><lateral_friction value="1"/></contact></link>
<link name="b"><visual><geometry><capsule radius="1" length="1"/></geometry>
</visual>
<visual><geometry><mesh filename="package://p/m.stl" scale="1 -1 2"/></geometry>
</visual>
</link><link name="c"/><link name="d"/><link name="e"/>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/>
<axis xyz="0 1 1"/>
<limit lower="-1" upper="1" effort="2" velocity="3"/>
<dynamics damping="1" friction="2"/>
<safety_controller soft_lower_limit="-1" k_velocity="1"/><calibration rising="0.1"/>
</joint><joint name="k" type="prismatic"><parent link="b"/><child link="c"/>
<axis xyz="1 0 0"/><limit lower="0" upper="1" effort="1" velocity="1"/>
<mimic joint="j" multiplier="-2" offset="0.5"/></joint>
<joint name="m" type="floating"><parent link="c"/><child link="d"/></joint>
<joint name="n" type="planar"><parent link="c"/><child link="e"/><axis xyz="0 1 1"/>
</joint><transmission name="t"><joint name="j"/><actuator name="x">
<mechanicalReduction>50</mechanicalReduction></actuator></transmission>
<gazebo reference="b"><sensor type="ray" name="s"><update_rate>5</update_rate>
<pose>0 0 1 0 0 0</pose><ray><scan><horizontal><samples>5</samples>
<min_angle>-1</min_angle><max_angle>1</max_angle></horizontal><vertical>
<samples>2</samples><min_angle>0</min_angle><max_angle>1</max_angle></vertical></scan>
<range><min>0</min><max>5</max></range></ray></sensor></gazebo>
<sensor name="eye" update_rate="5"><parent link="a"/><camera><image width="8" height="8"
hfov="1" near="0.1" far="9"/></camera></sensor><vendor><x/></vendor></robot>"""
_ARM = b"""<robot name="arm"><link name="base"/><link name="hand"/>
<joint name="weld" type="fixed"><parent link="base"/><child link="hand"/>
<origin xyz="0 0 1" rpy="0 0 3.14"/></joint></robot>"""

URDFS = (_WHOLE, _ARM)
URDF_WORDS = words(
    ["robot", "link", "joint", "material", "transmission", "gazebo", "sensor"],
    ["inertial", "visual", "collision", "contact", "origin", "mass", "inertia"],
    ["geometry", "box", "cylinder", "sphere", "capsule", "mesh", "color", "texture"],
    ["parent", "child", "axis", "limit", "mimic", "dynamics", "calibration"],
    ["safety_controller", "camera", "ray", "lidar", "image", "scan", "range"],
    ["revolute", "continuous", "prismatic", "fixed", "floating", "planar", "spherical"],
    ["name", "type", "xyz", "rpy", "value", "size", "radius", "length", "filename"],
    ["scale", "rgba", "lower", "upper", "effort", "velocity", "joint", "multiplier"],
    ["a", "b", "c", "j", "k", "0", "0 0 0", "1e308 0 0", "inf", "nan", "-1", "1,2"],
    ["package://", "model://x/y", "file:///dev/zero", "../..", "$(find x)", "${x}"],
)

# it lies beside the first of the URDFs
SRDFS = (
    b"""<robot name="all"><group name="arm"><chain base_link="a" tip_link="c"/></group>
<group name="hand"><joint name="k"/><link name="e"/><group name="more"/></group>
<group name="more"><joint name="m"/><passive_joint name="n"/></group>
<group_state name="home" group="arm"><joint name="j" value="0.5"/>
<joint name="m" value="0 0 0 0 0 0"/></group_state>
<end_effector name="ee" parent_link="c" group="hand" parent_group="arm"/>
<virtual_joint name="v" type="floating" parent_frame="world" child_link="a"/>
<disable_collisions link1="a" link2="c" reason="Never"/>
<passive_joint name="n"/></robot>""",
)
SRDF_WORDS = words(
    ["robot", "group", "chain", "link", "joint", "group_state", "end_effector"],
    ["virtual_joint", "passive_joint", "disable_collisions", "subgroup"],
    ["name", "base_link", "tip_link", "value", "group", "parent_link", "parent_group"],
    ["type", "parent_frame", "child_link", "link1", "link2", "reason", "Never"],
    ["a", "b", "c", "d", "j", "k", "m", "n", "arm", "hand", "more", "home", "world"],
    ["0", "0.5", "1e308", "inf", "nan", "-1", "1 2 3", "floating", "planar", "fixed"],
)

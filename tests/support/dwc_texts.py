"""Parts of Dynamic WorkCells for tests."""

from __future__ import annotations

from pathlib import Path

CELL = """<WorkCell name="cell">
  <Frame name="Floor"><Drawable name="f"><Plane/></Drawable></Frame>
  <Frame name="Box" type="Movable"><RPY>0 0 0</RPY><Pos>3 0 1</Pos>
    <Property name="AngularDamping" type="double">0.2</Property>
    <Drawable name="b"><RPY>0 0 0</RPY><Pos>0.1 0 0</Pos><Box x="0.2" y="0.1" z="0.3"/>
    </Drawable></Frame>
  <Frame name="Lid" refframe="Box"><RPY>0 0 0</RPY><Pos>0 0.2 0</Pos>
    <Drawable name="l"><Box x="0.1" y="0.1" z="0.1"/></Drawable></Frame>
  <Frame name="Ball" type="Movable"><RPY>0 0 0</RPY><Pos>5 0 1</Pos>
    <Drawable name="s"><Sphere radius="0.1"/></Drawable></Frame>
  <Frame name="Empty" type="Movable"/>
  <Frame name="Spot"><RPY>0 0 0</RPY><Pos>0 3 0</Pos></Frame>
  <SerialDevice name="Arm">
    <Frame name="Base"><Drawable name="g"><Box x="0.1" y="0.1" z="0.1"/></Drawable>
    </Frame>
    <Joint name="J0" type="Revolute"><RPY>0 0 90</RPY><Pos>0 0 0.1</Pos></Joint>
    <Joint name="J1" type="Revolute"><RPY>0 0 0</RPY><Pos>0.3 0 0</Pos>
      <Depend on="J0" gain="0.5" offset="0"/></Joint>
    <Frame name="TCP"><RPY>0 0 0</RPY><Pos>0.3 0 0</Pos></Frame>
    <Drawable name="l0" refframe="J0"><RPY>0 0 0</RPY><Pos>0.15 0 0</Pos>
      <Box x="0.3" y="0.04" z="0.04"/></Drawable>
  </SerialDevice>
  <Frame name="Wrist" refframe="Arm.TCP"/>
  <SerialDevice name="Grip">
    <Frame name="Base"><Drawable name="g"><Box x="0.1" y="0.1" z="0.1"/></Drawable>
    </Frame>
    <Joint name="J0" type="Prismatic"><RPY>0 0 0</RPY><Pos>0 0 0.1</Pos></Joint>
    <Frame name="TCP"><RPY>0 0 0</RPY><Pos>0 0 0.1</Pos></Frame>
  </SerialDevice>
</WorkCell>"""
CART = """<MobileDevice name="Cart" basename="Base"><AxelWidth>0.5</AxelWidth>
  <LeftWheel name="L"/><RightWheel name="R"/></MobileDevice>"""
MATERIALS = """
<MaterialData><Default>Plastic</Default><Material id="Plastic"/><Material id="Ice"/>
</MaterialData>
<ObjectTypeData><Default>hard</Default><ObjectType id="hard"/></ObjectTypeData>"""
MASS = "<Mass>2</Mass><COG>0 0 0.1</COG><Inertia>1 2 3</Inertia>"
RIGID = "<RigidBody frame='{}'>{}<Integrator>Euler</Integrator></RigidBody>"
BOX, BALL = RIGID.format("Box", MASS), RIGID.format("Ball", MASS)
ESTIMATED = "<Mass>2</Mass><EstimateInertia/>"
LIMITS = '<ForceLimit joint="J0">10</ForceLimit><ForceLimit joint="J1">5</ForceLimit>'
ARM = f"""<RigidDevice device="Arm">{LIMITS}<FixedBase frame="Base"/>
<Link object="J0">{ESTIMATED}</Link><RigidJoint joint="J1">{MASS}</RigidJoint>
</RigidDevice>"""
TIE = '<Constraint name="c" type="Revolute" parent="Box" child="Ball"/>'
PD = (
    '<PDDeviceController name="pd" device="Arm" type="Position"><Sync>false</Sync>'
    "<PDParams>{}</PDParams><TimeStep>0.01</TimeStep></PDDeviceController>"
)


def write_scene(
    folder: Path, text: str, materials: str = MATERIALS, cell: str = CELL
) -> Path:
    """Write a Dynamic WorkCell next to its WorkCell; return its path."""
    (folder / "cell.wc.xml").write_text(cell)
    path = folder / "scene.dwc.xml"
    path.write_text(
        f'<DynamicWorkCell workcell="cell.wc.xml">{materials}{text}</DynamicWorkCell>'
    )
    return path

"""Parts of Dynamic WorkCells for tests."""

from __future__ import annotations

from pathlib import Path

from scene_files import scene_beside

CELL = scene_beside(__file__, "dwc_texts.wc.xml")
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

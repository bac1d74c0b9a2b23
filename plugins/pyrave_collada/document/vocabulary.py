"""Names of COLLADA's own elements that data of other formats may use, too."""

from __future__ import annotations

_NAMES = """
    RGB SIDREF acceleration accessor active alpha altitude ambient angle angular
    animation annotate argument array asset attachment author axis back binary bind
    blinn bool box brep camera capsule channel circle code color comments compiler cone
    constant contributor controller copyright coverage created curve curves cylinder
    damping deceleration density dest diffuse direction directional draw dynamic edges
    effect ellipse emission enabled enum equation evaluate extra face faces fail fixed
    float focal format formula front func geometry gravity half height hex hint hollow
    hyperbola image imager import include index inertia inline input int interpenetrate
    invert jerk joint joints keywords kinematics lambert latitude layer light limits
    line linear lines linestrips link linker locked longitude lookat magfilter mask mass
    material matrix max mesh min minfilter mipfilter mips mode modified modifier morph
    motion newparam node nurbs optics orient origin orthographic parabola param pass
    pcurves perspective ph phong plane point polygons polylist prismatic program radius
    ref reflective reflectivity render renderable restitution revision revolute rgb
    rotate sampler samplerCUBE samplerDEPTH samplerRECT scale scene scissor semantic
    setparam shader shape shells shininess size skeleton skew skin solids source sources
    specular speed sphere spline spot spring src states stiffness string subject surface
    surfaces target targets technique texcombiner texcoord texenv texture textureCUBE
    textureDEPTH textureRECT title torus translate transparency transparent triangles
    trifans tristrips unit unnormalized usertype value vcount velocity vertices wires
    xfov xmag yfov ymag zfail zfar znear zpass
"""
COLLADA_NAMES = frozenset(_NAMES.split())
"""Names of elements of COLLADA 1.5 without an underscore or a digit.

COLLADA DOM, with which OpenRAVE reads files, knows elements by their names wherever
they are, and complains of content that the schema does not give them.
"""

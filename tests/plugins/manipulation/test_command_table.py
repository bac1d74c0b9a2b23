"""Every command and parameter of OpenRAVE's reference is there, and has tests."""

from __future__ import annotations

import command_table

BASE = {
    "Traj": "stream resettrans resettiming",
    "VerifyTrajectory": "stream resettrans resettiming samplingstep",
    "GrabBody": "name",
    "ReleaseAll": "",
    "MoveHandStraight": "direction minsteps maxsteps stepsize ignorefirstcollision "
    "starteematrix greedysearch execute outputtraj maxdeviationangle steplength "
    "planner outputtrajobj",
    "MoveManipulator": "goal maxiter execute outputtraj maxtries goals steplength "
    "outputtrajobj jitter releasegil",
    "MoveActiveJoints": "goal steplength maxiter maxtries execute outputtraj goals "
    "outputtrajobj jitter releasegil postprocessingplanner postprocessingparameters "
    "usedynamicsconstraints initialconfigs",
    "MoveToHandPosition": "matrices affinedofs maxiter maxtries translation rotation "
    "seedik constraintfreedoms constraintmatrix constrainterrorthresh execute "
    "outputtraj steplength goalsamples ikparam ikparams jitter minimumgoalpaths "
    "outputtrajobj postprocessing jittergoal constrainttaskmatrix constrainttaskpose "
    "goalsampleprob goalmaxsamples goalmaxtries releasegil initialconfigs freevalues",
    "MoveUnsyncJoints": "jointvalues jointinds maxtries planner maxdivision execute "
    "outputtraj outputtrajobj",
    "JitterActive": "maxiter jitter execute outputtraj outputfinal outputtrajobj",
    "FindIKWithFilters": "ikparam cone solveall filteroptions",
    "SetMinimumGoalPaths": "",
    "SetPostProcessing": "",
    "SetRobot": "robot",
}
FINGERS = (
    "movingdir execute outputtraj outputfinal coarsestep translationstepmult finestep "
    "outputtrajobj releasegil"
)
TASK = {
    "GraspPlanning": "graspindices grasps target approachoffset destposes seedgrasps "
    "seeddests seedik maxiter randomgrasps randomdests execute outputtraj "
    "grasptranslationstepmult graspfinestep outputtrajobj gmodel paddedgeometryinfo "
    "steplength releasegil",
    "EvaluateConstraints": "freedoms configs targetframematrix targetframepose "
    "errorthresh",
    "ChuckFingers": f"offset {FINGERS}",
    "CloseFingers": f"offset {FINGERS}",
    "UnchuckFingers": f"target {FINGERS}",
    "ReleaseFingers": f"target {FINGERS}",
    "ReleaseActive": "movingdir execute outputtraj outputfinal translationstepmult "
    "finestep outputtrajobj",
    "SwitchModels": "switchpatterns unregister switchtofat clearpatterns clearmodels "
    "update",
    "CreateSystem": "",
    "SetMinimumGoalPaths": "",
    "SetPostProcessing": "",
    "SetRobot": "robot",
}
GRASPER = {
    "Grasp": "direction roll position standoff target stablecontacts forceclosure "
    "transformrobot onlycontacttarget tightgrasp graspingnoise execute "
    "translationstepmult outputfinal manipulatordirection coarsestep finestep "
    "vintersectplane chuckingdirection ordereddofindices avoidcontact",
    "GraspThreaded": "approachrays standoffs preshapes rolls manipulatordirections "
    "target transformrobot onlycontacttarget tightgrasp graspingnoise "
    "forceclosurethreshold collisionchecker translationstepmult numthreads startindex "
    "maxgrasps finestep",
    "ConvexHull": "points returnplanes returnfaces returntriangles",
    "GetStableContacts": "",
    "ComputeDistanceMap": "",
}
VISUAL = {
    "SetCameraAndTarget": "sensorindex sensorname manipname convexdata sensorrobot "
    "targetlink targetgeomname raydensity",
    "ProcessVisibilityExtents": "numrolls transforms extents sphere conedirangles",
    "SetCameraTransforms": "transforms mindist",
    "ComputeVisibility": "checkocclusion",
    "ComputeVisibleConfiguration": "pose",
    "SampleVisibilityGoal": "numsamples",
    "MoveToObserveTarget": "affinedofs smoothpath planner sampleprob maxiter execute "
    "outputtraj",
    "VisualFeedbackGrasping": "graspset usevisibility planner graspdistthresh "
    "visgraspthresh numgradientsamples maxiter execute outputtraj",
    "SetParameter": "raydensity raymindist allowableocclusion",
}
REFERENCE = {
    "BaseManipulation": BASE,
    "TaskManipulation": TASK,
    "Grasper": GRASPER,
    "VisualFeedback": VISUAL,
}


def test_commands_and_parameters_of_the_reference_are_there():
    known = command_table.commands()
    missing = []
    for module, commands in REFERENCE.items():
        for command, names in commands.items():
            found = known.get((module, command))
            if found is None:
                missing.append(f"{module} {command}")
                continue
            missing += [
                f"{module} {command} {name}"
                for name in names.split()
                if name not in found[1]
            ]
    assert not missing


def test_each_has_a_test_by_keyword_or_by_text():
    gaps = [row[:3] for row in command_table.rows() if not row[3] and not row[4]]
    assert not gaps
    assert len(list(command_table.rows())) > 100


def test_a_parameter_without_a_test_is_seen(monkeypatch):
    given = command_table.uses()
    key = "move_manipulator", "maxiter"
    texts = "text movemanipulator", "maxiter"
    assert given[key] or given[texts]
    for one in (key, texts, ("movemanipulator", "maxiter")):
        given[one] = set()
    monkeypatch.setattr(command_table, "uses", lambda: given)
    gaps = [row[:3] for row in command_table.rows() if not row[3] and not row[4]]
    assert ("BaseManipulation", "MoveManipulator", "maxiter") in gaps

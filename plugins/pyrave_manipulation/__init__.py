"""OpenRAVE's modules of manipulation: commands by text, over pyrave's own functions.

``robot_module``
    What all modules have in common: a robot, a planner, and how motions are handed on.
``answers``, ``arguments``
    What commands return, and the numbers and texts that they take.
``base_manipulation``, ``joint_commands``, ``hand_commands``
    `BaseManipulation`: motions of joints and of the hand.
``free_ends``, ``hand_goals``, ``tracked_lines``, ``unsynchronised``, ``cone_filter``
    What its commands look for.
``task_manipulation``, ``finger_commands``
    `TaskManipulation`: fingers that close and open, and ways to grasps.
``finger_motions``, ``grasp_tables``, ``grasp_search``
    What its commands look for.
``grasper_module``, ``single_grasps``
    The module `Grasper`: what grasps touch and hold.
``grasp_planner``
    The planner `Grasper`: the same as a trajectory.
``hand_grasps``, ``shapes``
    What they look for.
``visual_feedback``, ``camera_task``, ``camera_views``
    `VisualFeedback`: cameras that see their target.
"""

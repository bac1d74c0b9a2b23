"""Examples of hands: grasps, and things that are carried."""

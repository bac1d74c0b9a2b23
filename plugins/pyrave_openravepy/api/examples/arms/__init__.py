"""Examples of arms: inverse kinematics of all kinds."""

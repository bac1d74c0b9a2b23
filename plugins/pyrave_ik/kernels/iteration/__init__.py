"""Inverse kinematics by iteration: least squares, Newton steps and continuation."""

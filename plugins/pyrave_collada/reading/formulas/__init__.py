"""Joints that follow others: content MathML as formulas of joints."""

"""The state of a body: its compiled model at joint values and poses."""

"""Names of pyrave's own commands."""

COMMANDS = (
    "demo", "info", "robots", "check", "run", "scan", "collide", "plan", "plugins",
    "new-plugin", "convert", "doctor", "warm", "view", "serve",
)  # fmt: skip
"""In the order in which help lists them."""

"""Names of pyrave's own commands."""

COMMANDS = (
    "demo", "info", "robots", "check", "run", "scan", "collide", "plan", "db",
    "plugins", "new-plugin", "convert", "doctor", "warm", "view", "serve", "dev",
)  # fmt: skip
"""Names of the commands in the order of the help."""

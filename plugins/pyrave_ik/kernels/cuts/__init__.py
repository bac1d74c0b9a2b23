"""All solutions of a loop by elimination."""

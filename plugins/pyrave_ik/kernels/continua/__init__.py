"""Continua of singular solutions."""

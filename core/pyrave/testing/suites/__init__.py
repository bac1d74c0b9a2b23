"""The checks, one module per interface type, and those that all types share."""

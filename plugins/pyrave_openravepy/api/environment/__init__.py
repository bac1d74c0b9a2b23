"""The environment, its collision queries, its files, its drawings and its clock."""

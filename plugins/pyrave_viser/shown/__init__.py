"""What of an environment is shown, as nodes of a scene in the browser."""

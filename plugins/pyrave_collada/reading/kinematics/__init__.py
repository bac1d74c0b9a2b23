"""Bodies: models of links and joints, systems of axes, bindings, masses."""

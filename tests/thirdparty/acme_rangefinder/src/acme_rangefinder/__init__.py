"""A one-beam range finder, and a sonar with a cone of beams."""

"""What is seen: nodes of visual scenes, their geometries and materials."""

"""Four-bar linkages inside of loops."""

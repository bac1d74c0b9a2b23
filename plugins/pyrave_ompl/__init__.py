"""Planners of the Open Motion Planning Library, as OMPL_<Name>."""

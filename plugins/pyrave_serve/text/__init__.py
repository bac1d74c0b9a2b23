"""The text commands of OpenRAVE's server, for scripts of Octave and Matlab."""

"""Where the numbers of an arm are in the array that all kernels take."""

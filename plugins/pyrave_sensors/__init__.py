"""Built-in sensors: lasers, cameras, and those of bodies.

Each module is a sensor that a scene can name, with its geometry, but for `hooks` and
`warm_kernels`. The rooms, from the bottom up, hold what sensors are made of:

`kernels`
    What is compiled.
`settings`
    Fields that describe themselves, for XML, checks, state and documentation.
`tracks`
    Where sensors, and what they see, were while they measured.
`bodies`
    Motion and loads of bodies, motors, errors of instruments.
`ranges`
    Rays on the move, their noise and light: all scanners.
`optics`
    Lenses, exposure, images: all cameras.
"""

"""Built-in sensors: lasers, cameras, and those of bodies.

Each module is a sensor that a scene can name, but for `measuring`, the base of all, and
`hooks` and `warming`. The rooms, from the bottom up, hold what sensors are made of:

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

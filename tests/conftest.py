"""What all tests share: kernels are compiled where they are called.

Other processes compile for users, who wait for one answer. Tests ask for thousands on
the same cores: there, interpreting meanwhile takes longer.
"""

import os

os.environ.setdefault("PYRAVE_COMPILE", "foreground")

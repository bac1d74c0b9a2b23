"""Methods that solve loops of six joints, and the choice of one for each arm.

`decomposition` finds how the loop of an arm falls apart, `kernel_choice` says which
kernels solve each kind; `analytic` joins the two for an arm and a type of goals.
"""

"""relplot, the program of the authors of the smooth ECE."""

import relplot

from .call import Call

CALLS = {
    "smece": Call(lambda d: relplot.smECE(d.p, d.y)),
}

"""betacal, the program of the authors of beta calibration."""

from betacal import BetaCalibration

from .call import Call

CALLS = {
    "beta": Call(lambda d: BetaCalibration().fit(d.p.reshape(-1, 1), d.y).predict(d.p)),
    "weighted_beta": Call(
        lambda d: BetaCalibration().fit(d.p.reshape(-1, 1), d.y, d.w).predict(d.at)
    ),
}

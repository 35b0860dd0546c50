"""MAPIE. Its 15 bins are 14: it is asked for 16."""

from mapie.metrics.calibration import (
    expected_calibration_error,
    kolmogorov_smirnov_statistic,
    kuiper_statistic,
    length_scale,
)

from .call import Call

BINS = 16

CALLS = {
    "top_ece": Call(
        lambda d: expected_calibration_error(
            (d.probs.argmax(1) == d.labels).astype(int), d.probs, num_bins=BINS
        )
    ),
    "classwise_ece": Call(
        lambda d: expected_calibration_error(
            d.labels, d.probs, num_bins=BINS, classwise=True, class_labels=d.labels
        )
    ),
    "ks": Call(
        lambda d: kolmogorov_smirnov_statistic(d.y, d.p),
        lambda found, d: found * length_scale(d.p),
    ),
    "kuiper": Call(
        lambda d: kuiper_statistic(d.y, d.p),
        lambda found, d: found * length_scale(d.p),
    ),
    "ece": Call(lambda d: expected_calibration_error(d.y, d.p, num_bins=15)),
}

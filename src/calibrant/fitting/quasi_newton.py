"""L-BFGS for smooth convex functions of many variables, with a certificate of where it stopped."""

from collections.abc import Callable

import numpy as np

from .newton import Certificate, DidNotConverge, Vector


def minimise_many(
    value_and_gradient: Callable[[Vector], tuple[float, Vector]],
    start: Vector,
    curvature: Vector,
    *,
    tolerance: float,
    most_steps: int = 2000,
) -> tuple[Vector, Certificate]:
    """Minimum of a convex function whose second derivatives are about `curvature`, variable by variable.

    >>> x, _ = minimise_many(lambda x: (float(x @ x), 2 * x), np.ones(3), np.full(3, 2.0), tolerance=1e-8)
    >>> bool(abs(x).max() < 1e-8)
    True
    """
    from scipy.optimize import minimize

    unit = 1 / np.sqrt(np.maximum(curvature, 1e-12 * curvature.max()))

    def scaled(y: Vector) -> tuple[float, Vector]:
        value, gradient = value_and_gradient(start + unit * y)
        return value, unit * gradient

    # The slope is what decides: `ftol` would stop where float32 hides further falls of the value.
    options = {
        "maxiter": most_steps,
        "maxfun": 2 * most_steps,
        "maxcor": 20,
        "ftol": 0,
        "gtol": tolerance / np.sqrt(start.size),
    }
    found = minimize(scaled, np.zeros(start.size), jac=True, method="L-BFGS-B", options=options)
    slope = float(np.linalg.norm(found.jac))
    if slope > tolerance:
        raise DidNotConverge(
            f"the fit did not converge: slope {slope:.3g} after {found.nit} steps, allowed {tolerance:.3g}; "
            "look for extreme scores or weights, or give float64"
        )
    return start + unit * found.x, Certificate(slope, tolerance, int(found.nit))

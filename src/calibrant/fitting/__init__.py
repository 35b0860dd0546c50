"""Numerical engines that know nothing of calibration."""

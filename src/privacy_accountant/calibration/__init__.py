"""Noise for a target guarantee or risk."""

from privacy_accountant.calibration.solver import calibrate

__all__ = ["calibrate"]

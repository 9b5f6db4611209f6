"""Pure functions behind certified composition: moments, contour nodes, error bounds, laws with atoms."""

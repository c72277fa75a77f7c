"""Speed as ratios, so that machines do not matter."""

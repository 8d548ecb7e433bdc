"""Takes in tasks: what may be submitted, and what a project or an earlier run adds to a task."""

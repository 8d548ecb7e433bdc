"""How a task gets in: what may be submitted, what a project or an earlier run brings along."""

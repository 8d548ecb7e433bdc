"""The worker: its sources are sent to a bare interpreter, which then forks children, walls them in, and ends them."""

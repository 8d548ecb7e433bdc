"""Ask any model for a reply that keeps its contract: one router, many providers, honest bookkeeping."""

"""Measures how good the agent is, with suites, trials and figures."""

from llm.services import SERVICES, Service

SERVICES["replay"] = Service(
    name="replay",
    label="Recorded replies",
    wire="evaluation.recorded.provider:ReplayProvider",
    at="process",
    model="recorded",
    pretend=True,
    thoughts=0,
    concurrent=64,
)

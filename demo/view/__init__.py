"""Turns events into what the panels say, without Gradio."""

"""From events to what the panels say, without Gradio."""

"""Shows runs to a person, and opens the doors for programs (REST, MCP). Only this room knows Gradio."""

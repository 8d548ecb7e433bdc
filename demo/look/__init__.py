"""How it looks: HTML, theme, head and style."""

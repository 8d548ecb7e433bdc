"""Program text as text: read, searched, compared and changed; nothing is run, and nothing is known of a run."""

"""The report as a page for a browser: one file that needs no network."""

"""Statements for the terminal, as Markdown, as GitHub annotations, as JUnit and as JSON."""

"""What several ranks say together: a module for each analysis."""

"""Learning from what happened: lessons, candidate rules and procedures, a person's review, patterns, feedback."""

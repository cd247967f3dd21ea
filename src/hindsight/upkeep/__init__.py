"""Looking after a store: what runs beside, or between, writing and recall."""

"""What the stores on a database of tables have in common: records as rows and columns, searches over numpy arrays, the SQL.

An engine brings connections (:class:`~hindsight.adapters.relational.core.Engine`), migrations, and its own text for the
statements that it words differently.
"""

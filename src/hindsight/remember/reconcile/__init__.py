"""Reconciling: what a new statement is to those that stand: the same, an update, a contradiction, a refinement, or none of these."""

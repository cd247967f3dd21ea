"""The REST interface under ``/v1``: the calls of :class:`hindsight.Hindsight` as resources."""

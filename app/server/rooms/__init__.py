"""Rooms, in which several people play a match from their own phones."""

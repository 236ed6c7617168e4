"""Playing out the rest of a round many times, among players who read each other's bids.

`beliefs` has what everybody believes about every seat, `decisions` the action of least risk under
these beliefs, and `walk` plays many rounds out together. `answers` decides after many histories at
once. All four are compiled, and know no policy: `policies.players.compiled_reading` hands them the
table and the kinds of players.
"""

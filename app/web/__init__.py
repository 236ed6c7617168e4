"""The page: play, review, advice at a table with real dice, and an explorer of the policy.

NiceGUI is imported when `zhaifei web` runs, never before. What a page shows and may do is a model
without it (`playing`, `real_table`, `explorer`); pages draw models, and policies are asked in
worker processes.
"""

"""The web page: play, review, advice at a table with real dice, and an explorer of the policy.

NiceGUI is imported when `zhaifei web` runs, never before. Models without NiceGUI (`playing`,
`real_table`, `explorer`) decide what a page shows and allows. Pages draw the models, and worker
processes query the policies.
"""

from hypothesis import settings

# Rules are cached by value: the first example with new ones is slower than any deadline foresees.
settings.register_profile("tests", deadline=None)
settings.load_profile("tests")

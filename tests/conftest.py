"""What holds for every test."""

import hypothesis

# No deadline: the first example of a property may have to compile a kernel. The blob repeats a failure elsewhere.
hypothesis.settings.register_profile("hotlap", deadline=None, print_blob=True)
hypothesis.settings.load_profile("hotlap")

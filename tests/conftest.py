"""What holds for every test."""

import os

import hypothesis
import pytest

# A test on every core leaves none for threads of torch and numpy: they would spin and wait for each other. Set before
# either is imported; processes that tests start inherit it.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# No deadline: the first example of a property may have to compile a kernel. The blob repeats a failure elsewhere.
hypothesis.settings.register_profile("hotlap", deadline=None, print_blob=True, max_examples=50)
hypothesis.settings.register_profile("soak", deadline=None, print_blob=True, max_examples=1000)

LANES = ("one-at-a-time", "other-browser")
"""Groups of tests that wait for a browser, a crowd of sockets or a clock: `make test` keeps each on one worker."""


def pytest_addoption(parser):
    parser.addoption("--soak", action="store_true", help="run the scaled-up twins and the measurements too")


def pytest_configure(config):
    """Properties are tried on fifty examples, with --soak on a thousand."""
    hypothesis.settings.load_profile("soak" if config.getoption("--soak") else "hotlap")


@pytest.fixture
def in_time(request):
    """`in_time(seconds, limit_s)` fails when it took longer, with --soak; elsewhere others may need the cores."""

    def check(seconds: float, limit_s: float) -> None:
        assert seconds < limit_s or not request.config.getoption("--soak"), f"{seconds:.3f} s is over {limit_s} s"

    return check


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(config, items):
    """Leave the soak tests out unless asked, and begin with those that stay in a lane."""
    if not config.getoption("--soak"):
        soak = [item for item in items if item.get_closest_marker("soak")]
        config.hook.pytest_deselected(items=soak)
        items[:] = [item for item in items if item not in soak]
    pages = sorted({item.path for item in items if item.path.parent.name == "browser"})
    for item in items:
        if "in_time" in item.fixturenames:
            item.add_marker(pytest.mark.clock)
        if item.get_closest_marker("browser") or item.get_closest_marker("clock"):
            item.add_marker(pytest.mark.xdist_group(lane_of(item, pages)))
    items.sort(key=lambda item: item.get_closest_marker("xdist_group") is None)


def lane_of(item, pages):
    """The files of the pages in turn; what is no page waits less and goes where there are fewer of them."""
    return LANES[pages.index(item.path) % len(LANES)] if item.path in pages else LANES[1]

"""Folders for tests that save hundreds of times."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest

MEMORY_DISK = Path("/dev/shm")  # noqa: S108 - only a place, the names in it are made by mkdtemp


@pytest.fixture
def quick_folder(tmp_path):
    """An empty folder in memory where the system has such: waiting for a real disk proves nothing in a sweep."""
    if not os.access(MEMORY_DISK, os.W_OK):
        yield tmp_path
        return
    folder = Path(tempfile.mkdtemp(prefix="hotlap-test-", dir=MEMORY_DISK))
    yield folder
    shutil.rmtree(folder)

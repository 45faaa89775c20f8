"""Which branch and commit something was measured at: what git, or the variables of a CI, say of the current folder."""

import os
import subprocess
from typing import NamedTuple

LONGEST_BRANCH = 200
SHOWN_DIGITS = 12


class Revision(NamedTuple):
    """A branch and a commit; empty where nothing is known."""

    branch: str = ""
    commit: str = ""


UNKNOWN = Revision()


def current_revision() -> Revision:
    """Of the current folder. A CI checks out commits without a branch, and names the branch itself."""
    asked = ["git", "rev-parse", "HEAD", "--abbrev-ref", "HEAD"]
    try:
        said = subprocess.run(asked, capture_output=True, text=True, check=True, timeout=5)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return UNKNOWN
    commit, branch = [*said.stdout.split(), "", ""][:2]
    if branch == "HEAD":
        branch = os.environ.get("GITHUB_HEAD_REF") or os.environ.get("GITHUB_REF_NAME") or ""
    return Revision(branch[:LONGEST_BRANCH], commit[:SHOWN_DIGITS])

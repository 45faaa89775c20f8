"""`python -m hotlap` is `hotlap`, where no script is on the path."""

import sys

from hotlap.cli import main

if __name__ == "__main__":
    sys.exit(main())

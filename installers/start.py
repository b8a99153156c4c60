"""Where a frozen program starts: the engine and the reading processes are further copies of it, told apart here."""

import multiprocessing
import sys

if __name__ == "__main__":
    multiprocessing.freeze_support()

    from desktop_rag.cli import main

    sys.exit(main())

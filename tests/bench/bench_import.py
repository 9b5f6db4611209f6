"""What it costs to import the package, in fresh interpreters, against `import numpy`."""

import subprocess
import sys

from harness import Comparison


def import_time(statement):
    """Seconds that a statement takes in a fresh interpreter, without the interpreter's own start."""
    code = f"import time; start = time.perf_counter(); {statement}; print(time.perf_counter() - start)"
    return float(
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    )


COMPARISONS = [
    Comparison(
        task="import privacy_accountant",
        peer_name="import numpy",
        ours=lambda: import_time("import privacy_accountant"),
        peer=lambda: import_time("import numpy"),
        goal=1.5,
        self_timed=True,
    ),
    Comparison(
        task="the first guarantee: from privacy_accountant import GDP",
        peer_name="import scipy.stats",
        ours=lambda: import_time("from privacy_accountant import GDP"),
        peer=lambda: import_time("import scipy.stats"),
        self_timed=True,
    ),
]

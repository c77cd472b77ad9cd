"""Make calls of the catalogue, from one of them on; a call that does not end, ends the process.

Called as ``python child.py GROUP FIRST STEP FOLDER``. Prints one line of JSON before and one after
each STEP-th call. As GROUP, "all" is every group; as STEP, 0 prints the calls and makes none.
"""

import json
import os
import signal
import sys
import warnings

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

# Seconds of processor time and of the clock: other work on the machine must not fail a call.
CPU_SECONDS, CLOCK_SECONDS = 20.0, 60.0

UNCLEAR = ("incompatible function arguments", "ufunc", "this is a bug", "error of a library")


def verdict(call, low_level):
    """Return "ok", "error" or what is wrong.

    Functions below the estimators raise what Python, NumPy or the compiled code says of an argument
    of a wrong type.
    """
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            value = call()
    except (ValueError, TypeError, OSError) as error:
        message = str(error)
        of_numpy = isinstance(error, TypeError) and type(error).__module__.startswith("numpy")
        unclear = of_numpy or any(sign in message for sign in UNCLEAR)
        if message and (low_level or not unclear):
            return "error"
        return f"unclear {type(error).__name__}: {message[:150]}"
    except BaseException as error:
        if low_level and isinstance(error, AttributeError | OverflowError):
            return "error"
        return f"{type(error).__name__}: {str(error)[:150]}"
    for warning in caught:
        if issubclass(warning.category, RuntimeWarning):
            return f"warning: {str(warning.message)[:150]}"
    if isinstance(value, str) and value.startswith("wrong"):
        return value
    if isinstance(value, np.ndarray) and value.dtype.kind in "fc" and np.isnan(value).any():
        return "the answer has nan"
    return "ok"


def main():
    group, first, step, folder = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    os.chdir(folder)
    from calls import GROUPS
    from failing_io import FAILING_GROUPS
    from files import FILE_GROUPS
    from more_calls import MORE_GROUPS
    from solver_calls import SOLVER_GROUPS

    out = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    # Calls that fork come first, while the process is small.
    groups = {**FAILING_GROUPS, **GROUPS, **FILE_GROUPS, **MORE_GROUPS, **SOLVER_GROUPS}
    chosen = groups if group == "all" else {group: groups[group]}
    calls = ((each, *call) for each, make in chosen.items() for call in make())
    for number, (each, name, call) in enumerate(calls):
        if number < first or (step and number % step):
            continue
        print(json.dumps([number, each, name]), file=out, flush=True)
        if not step:
            continue
        signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
        signal.setitimer(signal.ITIMER_REAL, CLOCK_SECONDS)
        found = verdict(call, low_level=each == "solvers")
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        print(json.dumps(found), file=out, flush=True)


main()

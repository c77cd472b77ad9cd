"""Make the calls of one group, from one of them on; a call that does not end, ends the process.

Called as ``python child.py GROUP FIRST STEP FOLDER``. Prints one line of JSON before and one after
each call. As GROUP, "names" prints the calls of all groups and makes none.
"""

import json
import os
import signal
import sys
import warnings

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

# Seconds of processor time and of the clock: other work on the machine must not fail a call.
CPU_SECONDS, CLOCK_SECONDS = 10.0, 60.0

UNCLEAR = ("incompatible function arguments", "ufunc", "this is a bug", "error of a library")
# Functions below the estimators, which raise what Python, NumPy or the compiled code says of an
# argument of a wrong type.
LOW_LEVEL = ("solvers", "parts of fits")


def verdict(call, group):
    """Return "ok", "error" or what is wrong."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            value = call()
    except (ValueError, TypeError, OSError) as error:
        message = str(error)
        if group in LOW_LEVEL and message:
            return "error"
        if not message or any(sign in message for sign in UNCLEAR):
            return f"unclear {type(error).__name__}: {message[:150]}"
        if isinstance(error, TypeError) and type(error).__module__.startswith("numpy"):
            return f"unclear {type(error).__name__}: {message[:150]}"
        return "error"
    except BaseException as error:
        if group in LOW_LEVEL and isinstance(error, AttributeError | OverflowError):
            return "error"
        return f"{type(error).__name__}: {str(error)[:150]}"
    for warning in caught:
        if issubclass(warning.category, RuntimeWarning):
            return f"warning: {str(warning.message)[:150]}"
    return wrong(value) or "ok"


def wrong(value):
    """Say what is wrong with an answer; numbers must not be nan."""
    if isinstance(value, str) and value.startswith("wrong"):
        return value
    if isinstance(value, np.ndarray) and value.dtype.kind in "fc" and np.isnan(value).any():
        return "the answer has nan"
    return None


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
    groups = {**GROUPS, **FILE_GROUPS, **MORE_GROUPS, **SOLVER_GROUPS, **FAILING_GROUPS}
    if group == "names":
        for each, calls in groups.items():
            for kind, name, _ in calls():
                print(json.dumps([each, kind, name]), file=out)
        out.close()
        return
    calls = groups[group]()
    for number, (kind, name, call) in enumerate(calls):
        if number < first or number % step:
            continue
        print(json.dumps([number, kind, name]), file=out, flush=True)
        signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
        signal.setitimer(signal.ITIMER_REAL, CLOCK_SECONDS)
        found = verdict(call, group)
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        print(json.dumps(found), file=out, flush=True)


main()

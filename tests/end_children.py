"""Wait until a process is gone, then end the processes that it started.

Called as ``python end_children.py PID TOKEN``. Its children are known by having been seen below it,
or by the token in their environment.
"""

import contextlib
import os
import signal
import sys
import time

SECONDS = 0.5


def processes():
    """Return parent and start time of each process."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError, IndexError), open(f"/proc/{name}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
            found[int(name)] = int(fields[1]), int(fields[19])
    return found


def below(pid, found):
    """Return the descendants of a process, each with its start time."""
    members = {pid}
    while True:
        more = {each for each, (parent, _) in found.items() if parent in members} - members
        if not more:
            return {(each, found[each][1]) for each in members - {pid, os.getpid()}}
        members |= more


def has_token(pid, token):
    """Tell whether the environment of a process holds the token."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return token.encode() in file.read()
    except OSError:
        return False


def main():
    """Watch, then end."""
    pid, token = int(sys.argv[1]), sys.argv[2]
    seen = set()
    while os.getppid() == pid:
        seen = below(pid, processes())
        time.sleep(SECONDS)
    for each, (_, start) in processes().items():
        if each != os.getpid() and ((each, start) in seen or has_token(each, token)):
            with contextlib.suppress(OSError):
                os.kill(each, signal.SIGKILL)


main()

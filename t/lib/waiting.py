"""For tests that start programs and watch them. They wait for conditions instead of fixed times."""
import os
import signal
import subprocess
import time

LIMIT_S = 60  # longer than any step takes, except on a busy machine


def reset_signals():
    """Resets signals to their state after a login, whatever the caller ignores or blocks."""
    for signum in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        try:
            signal.signal(signum, signal.SIG_DFL)
        except OSError:
            pass  # signals of the C library
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def start(*command, **how):
    return subprocess.Popen(command, preexec_fn=reset_signals, **how)


def until(condition, process):
    """Returns the first true value of the function CONDITION while PROCESS runs."""
    began = time.monotonic()
    while True:
        value = condition()
        if value:
            return value
        if process.poll() is not None:
            raise AssertionError("ended with %d before it could be seen" % process.returncode)
        if time.monotonic() - began > LIMIT_S:
            process.kill()
            raise AssertionError("not within %d s" % LIMIT_S)
        time.sleep(0.01)


def end_of(process):
    """Returns the exit status of PROCESS. Kills it if it does not end."""
    try:
        return process.wait(LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        raise


def look_at(pid):
    """Returns (name, state, parent, start time) of a process, or None. The start time distinguishes it from a later
    process with its number."""
    try:
        with open("/proc/%s/stat" % pid) as stat:
            before, _, rest = stat.read().rpartition(")")
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = rest.split()
    return before.partition("(")[2], fields[0], int(fields[1]), fields[19]


def children(process):
    """Returns the processes that PROCESS has started: numbers by name."""
    seen = ((int(pid), look_at(pid)) for pid in os.listdir("/proc") if pid.isdigit())
    return {looks[0]: pid for pid, looks in seen if looks and looks[2] == process.pid}


class Others:
    """Processes that another process has started."""

    def __init__(self, pids):
        self.known = {pid: look_at(pid) for pid in pids}

    def left(self):
        """Returns those that still exist."""
        now = {pid: look_at(pid) for pid in self.known}
        return [pid for pid, was in self.known.items()
                if was and now[pid] and now[pid][3] == was[3] and now[pid][1] not in "ZX"]

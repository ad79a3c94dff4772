"""Runs a command and reacts to what it shows. The result does not depend on the speed of either.

usage: dialogue.py [-p] [-c COLUMNS] SHOWN STEP... -- COMMAND [ARGUMENT]...

COMMAND runs on a terminal of its own, COLUMNS wide; with -p its standard error is a pipe instead. Its signals are as
after a login, whatever the caller ignores or blocks. STEPs are done one after another:

    see=REGEX     waits until the shown text matches, or COMMAND has ended
    feed=FILE     writes FILE to standard input, which is a pipe if a STEP is feed or end, else the terminal
    end           closes standard input
    type=TEXT     types TEXT, with escapes as Python has them
    kill=SIGNAL   sends SIGINT, SIGTERM, ... to COMMAND alone
    pause=SECONDS waits for text that must not come: on a slow machine this finds less, but reports nothing wrong

After COMMAND has ended, the file SHOWN has all the shown text. Exits as COMMAND did, with 128 and more for a signal;
with 99 if a step, or the end, takes more than LIMIT_S, after killing COMMAND and the processes that it started; with 77
if there are no terminals.
"""
import fcntl
import os
import re
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
import traceback

from waiting import LIMIT_S, reset_signals

END = b"\0end of the dialogue\0"


class Terminal:
    """A pair of descriptors: output of a command goes into `inner` and comes out of `outer`. A pipe unless
    is_terminal."""

    def __init__(self, is_terminal, columns):
        self.is_terminal = is_terminal
        if not is_terminal:
            self.outer, self.inner = os.pipe()
            return
        try:
            self.outer, self.inner = os.openpty()
            fcntl.ioctl(self.inner, termios.TIOCSCTTY, 0)
        except OSError as e:
            print("dialogue.py: no terminals: %s" % e, file=sys.stderr)
            os._exit(77)
        attributes = termios.tcgetattr(self.inner)
        attributes[3] = attributes[3] & ~termios.ECHO | termios.NOFLSH  # typed text does not change the shown text
        termios.tcsetattr(self.inner, termios.TCSANOW, attributes)
        fcntl.ioctl(self.inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def take_over(self):
        """Runs in the child before it becomes the command: makes its group the foreground group."""
        os.setpgid(0, 0)
        if self.is_terminal:
            signal.signal(signal.SIGTTOU, signal.SIG_IGN)
            os.tcsetpgrp(self.inner, os.getpgrp())
        reset_signals()


class Dialogue:
    def __init__(self, terminal, command, has_input):
        self.terminal = terminal
        self.shown = b""
        self.more = threading.Condition()
        self.step = "start"
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            command, preexec_fn=terminal.take_over, bufsize=0,
            stdin=subprocess.PIPE if has_input else terminal.inner if terminal.is_terminal else subprocess.DEVNULL,
            stdout=terminal.inner if terminal.is_terminal else None, stderr=terminal.inner)
        for watch in (self.listen, self.limit):
            threading.Thread(target=watch, daemon=True).start()

    def listen(self):
        while END not in self.shown:
            data = os.read(self.terminal.outer, 65536)
            with self.more:
                self.shown += data
                self.more.notify()

    def limit(self):
        while time.monotonic() - self.began < LIMIT_S:
            time.sleep(1)
        print("dialogue.py: %s: not within %d s; the last that was shown: %r" % (self.step, LIMIT_S, self.shown[-400:]),
              file=sys.stderr)
        os.killpg(self.process.pid, signal.SIGKILL)
        os._exit(99)

    def take(self, step):
        self.step, self.began = step, time.monotonic()
        what, _, value = step.partition("=")
        getattr(self, "take_" + what)(value)

    def take_see(self, value):
        with self.more:
            while not re.search(value.encode(), self.shown) and self.process.poll() is None:
                self.more.wait(0.2)

    def take_feed(self, value):
        with open(value, "rb") as file:
            rest = memoryview(file.read())
        try:
            while rest:
                rest = rest[self.process.stdin.write(rest):]
        except BrokenPipeError:
            pass  # only the command's output and its end matter

    def take_end(self, _):
        self.process.stdin.close()

    def take_type(self, value):
        os.write(self.terminal.outer, value.encode().decode("unicode_escape").encode("latin-1"))

    def take_kill(self, value):
        self.process.send_signal(signal.Signals[value])

    def take_pause(self, value):
        time.sleep(float(value))

    def finish(self):
        """Returns the exit status. All output has been read then."""
        self.step, self.began = "the end", time.monotonic()
        status = self.process.wait()
        os.write(self.terminal.inner, END)
        with self.more:
            self.more.wait_for(lambda: END in self.shown)
        self.shown = self.shown.partition(END)[0]
        return status if status >= 0 else 128 - status


def talk(arguments):
    """Runs the steps in a session of its own. The terminal belongs to it until all output has been read."""
    os.setsid()
    is_terminal = arguments[0] != "-p"
    if not is_terminal:
        arguments = arguments[1:]
    columns = 80
    if arguments[0] == "-c":
        columns, arguments = int(arguments[1]), arguments[2:]
    split = arguments.index("--")
    path, steps = arguments[0], arguments[1:split]
    has_input = any(step.partition("=")[0] in ("feed", "end") for step in steps)
    dialogue = Dialogue(Terminal(is_terminal, columns), arguments[split + 1:], has_input)
    for step in steps:
        dialogue.take(step)
    status = dialogue.finish()
    with open(path, "wb") as file:
        file.write(dialogue.shown)
    return status


def main():
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        status = 98
        try:
            status = talk(sys.argv[1:])
        except BaseException:
            traceback.print_exc()
        os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    sys.exit(status if status >= 0 else 128 - status)


main()

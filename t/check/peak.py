#!/usr/bin/env python3
"""Prints the peak memory of a program in KiB, and 'failed' in front if it failed.

usage: peak.py OUT COMMAND...     COMMAND reads standard input and writes OUT
"""
import os
import sys

pid = os.fork()
if pid == 0:
    os.dup2(os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
    os.execvp(sys.argv[2], sys.argv[2:])
_, status, usage = os.wait4(pid, 0)
print(usage.ru_maxrss if status == 0 else 'failed %d' % usage.ru_maxrss)

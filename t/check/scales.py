#!/usr/bin/env python3
"""Checks that a program takes time in proportion to its input: at most eight times as long for four times as much.

usage: scales.py SMALL LARGE COMMAND...     COMMAND reads standard input

The least of three user times counts, and of up to eighteen if it is too long, because other programs can disturb some
of them.
"""
import os
import subprocess
import sys

small, large, command = sys.argv[1], sys.argv[2], sys.argv[3:]


def seconds(path, least):
    for _ in range(3):
        before = os.times().children_user
        with open(path, 'rb') as f:
            subprocess.run(command, stdin=f, stdout=subprocess.DEVNULL, check=True)
        least = min(least, os.times().children_user - before)
    return least


few = many = float('inf')
for _ in range(6):
    few, many = seconds(small, few), seconds(large, many)
    is_long = many > 8 * few + 0.1
    if not is_long:
        break
print('%s: %.2f s, of four times as much %.2f s' % (' '.join(command), few, many))
sys.exit(is_long)

#!/usr/bin/env python3
"""Checks that a program takes time in proportion to its input: at most eight times as long for four times as much.

usage: scales.py SMALL LARGE COMMAND...     COMMAND reads standard input; the least of three user times counts
"""
import os
import subprocess
import sys

small, large, command = sys.argv[1], sys.argv[2], sys.argv[3:]


def seconds(path):
    least = None
    for _ in range(3):
        before = os.times().children_user
        with open(path, 'rb') as f:
            subprocess.run(command, stdin=f, stdout=subprocess.DEVNULL, check=True)
        took = os.times().children_user - before
        least = took if least is None or took < least else least
    return least


few, many = seconds(small), seconds(large)
print('%s: %.2f s, of four times as much %.2f s' % (' '.join(command), few, many))
sys.exit(many > 8 * few + 0.1)

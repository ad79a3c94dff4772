#!/usr/bin/env python3
"""Makes a protobuf message, such as a Perfetto trace, from fields by number.

usage: make-packets.py >FILE <TEXT

    FIELD: 12 -3                a varint for each number
    FIELD: "text\\n"             bytes
    FIELD: 1.5                  a double
    FIELD: 0x0000000a           eight hexadecimal digits: four bytes; sixteen: eight bytes
    FIELD { ... }               a message
    FIELD [ 1 2 3 ]             packed varints

This is the output of `protoc --decode_raw` with some additions. # begins a comment.
"""
import ast
import re
import struct
import sys
from wire import field as field_of, fixed, varint

TOKEN = re.compile(r'\s+|#[^\n]*|("(?:[^"\\]|\\.)*"|[{}\[\]:]|[^\s{}\[\]:"#]+)')


def scalar(field, word):
    if word[0] == '"':
        return field_of(field, ast.literal_eval('b' + ascii(word)[1:-1].replace('\\\\', '\\'))
                           if word.isascii() else word[1:-1].encode())
    if re.fullmatch('0x[0-9a-f]{16}', word):
        return fixed(field, int(word, 16))
    if re.fullmatch('0x[0-9a-f]{8}', word):
        return varint(field << 3 | 5) + struct.pack('<I', int(word, 16))
    if '.' in word:
        return field_of(field, float(word))
    return field_of(field, int(word))


def is_value(tokens, i):
    """True if token I is a value, and not the number of the next field."""
    return i < len(tokens) and tokens[i] not in '{}[]:' and (i + 1 == len(tokens) or tokens[i + 1] not in '{[:')


def message(tokens, i):
    """Returns the fields from token I to the brace that closes the message, and the position after it."""
    out = bytearray()
    while i < len(tokens) and tokens[i] != '}':
        field, mark = int(tokens[i]), tokens[i + 1]
        i += 2
        if mark == '{':
            body, i = message(tokens, i)
            out += field_of(field, bytes(body))
            i += 1
        elif mark == '[':
            end = tokens.index(']', i)
            out += field_of(field, b''.join(varint(int(word)) for word in tokens[i:end]))
            i = end + 1
        else:
            while is_value(tokens, i):
                out += scalar(field, tokens[i])
                i += 1
    return out, i


def main():
    tokens = [t for t in TOKEN.findall(sys.stdin.read()) if t]
    body, end = message(tokens, 0)
    if end != len(tokens):
        sys.exit('make-packets.py: a brace too many')
    sys.stdout.buffer.write(body)


main()

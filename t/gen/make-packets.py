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

TOKEN = re.compile(r'\s+|#[^\n]*|("(?:[^"\\]|\\.)*"|[{}\[\]:]|[^\s{}\[\]:"#]+)')


def varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n >= 0x80:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def bytes_field(field, body):
    return varint(field << 3 | 2) + varint(len(body)) + body


def scalar(field, word):
    if word[0] == '"':
        return bytes_field(field, ast.literal_eval('b' + ascii(word)[1:-1].replace('\\\\', '\\'))
                           if word.isascii() else word[1:-1].encode())
    if re.fullmatch('0x[0-9a-f]{16}', word):
        return varint(field << 3 | 1) + struct.pack('<Q', int(word, 16))
    if re.fullmatch('0x[0-9a-f]{8}', word):
        return varint(field << 3 | 5) + struct.pack('<I', int(word, 16))
    if '.' in word:
        return varint(field << 3 | 1) + struct.pack('<d', float(word))
    return varint(field << 3) + varint(int(word))


def is_value(tokens, i):
    """True if token I is a value, and not the number of the next field."""
    return i < len(tokens) and tokens[i] not in '{}[]:' and (i + 1 == len(tokens) or tokens[i + 1] not in '{[:')


def message(tokens, i):
    """Returns the fields from token I to the brace that closes the message, and the position after it."""
    out = b''
    while i < len(tokens) and tokens[i] != '}':
        field, mark = int(tokens[i]), tokens[i + 1]
        i += 2
        if mark == '{':
            body, i = message(tokens, i)
            out += bytes_field(field, body)
            i += 1
        elif mark == '[':
            end = tokens.index(']', i)
            out += bytes_field(field, b''.join(varint(int(word)) for word in tokens[i:end]))
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

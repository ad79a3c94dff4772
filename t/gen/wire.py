"""Protobuf's wire format, for generators of traces."""
import struct


def varint(n):
    n &= (1 << 64) - 1
    out = b''
    while True:
        n, b = n >> 7, n & 127
        out += bytes([b | 128 if n else b])
        if not n:
            return out


def field(number, value):
    """Field NUMBER with VALUE, by its type: a double, a varint, or a length with bytes or text."""
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack('<d', value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value

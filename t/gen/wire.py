"""Protobuf's wire format, for all that make traces: generators, oracles and checks."""
import struct


def varint(n):
    """N as a varint; a negative one in 64 bits."""
    n &= (1 << 64) - 1
    out = b''
    while True:
        n, b = n >> 7, n & 127
        out += bytes([b | 128 if n else b])
        if not n:
            return out


def field(number, value):
    """Field NUMBER with VALUE, by its type: a double, a varint, or a length with bytes or text. None: no field."""
    if value is None:
        return b''
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack('<d', value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def fixed(number, value):
    """Field NUMBER with VALUE in eight bytes."""
    return varint(number << 3 | 1) + struct.pack('<Q', value)


def message(*fields):
    """The content of a message; FIELDS are pairs of number and value."""
    return b''.join(field(number, value) for number, value in fields)

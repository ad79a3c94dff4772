"""Protobuf's wire format, for all that make traces: generators, oracles and checks."""
import struct


SHORT = [bytes([n]) for n in range(128)]


def varint(n):
    """N as a varint; a negative one in 64 bits."""
    if 0 <= n < 128:
        return SHORT[n]
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


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

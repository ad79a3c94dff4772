"""Reads the wire format of protos and finds protos, for scripts that examine Perfetto traces byte by byte."""
import gzip, io, os, tarfile, zipfile, zlib


def fields(data):
    """Yields (id, wire type, value, bytes) of each field. Stops at bytes that are no message."""
    at, n = 0, len(data)

    def varint(at):
        value = shift = 0
        while True:
            b = data[at]
            at += 1
            value |= (b & 127) << shift
            shift += 7
            if b < 128 or shift > 63:
                return value & (1 << 64) - 1, at
    while at < n:
        start = at
        try:
            key, at = varint(at)
            wire = key & 7
            if wire == 0:
                value, at = varint(at)
            elif wire in (1, 5):
                size = 8 if wire == 1 else 4
                value, at = data[at:at + size], at + size
            elif wire == 2:
                size, at = varint(at)
                value, at = data[at:at + size], at + size
            else:
                return
        except IndexError:
            return
        if at > n:
            return
        yield key >> 3, wire, value, data[start:at]


def packets(data):
    """Yields the TracePackets of a Trace, those in compressed packets too."""
    for ident, wire, value, _ in fields(data):
        if ident != 1 or wire != 2:
            continue
        inner = [f for f in fields(value) if f[0] == 50 and f[1] == 2]
        if inner:
            for f in inner:
                yield from packets(zlib.decompress(f[2]))
        else:
            yield value


def members(name, data):
    """Yields (name, bytes) of each proto that the file NAME is or contains."""
    if data[:2] == b'\x1f\x8b':
        yield from members(name, gzip.decompress(data))
    elif data[257:262] == b'ustar':
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            for m in tar:
                if m.isfile():
                    yield from members(m.name, tar.extractfile(m).read())
    elif data[:4] == b'PK\3\4':
        with zipfile.ZipFile(io.BytesIO(data)) as z:
            for n in z.namelist():
                if not n.endswith('/'):
                    yield from members(n, z.read(n))
    elif is_proto(data):
        yield name, data


def is_proto(data):
    f = next(fields(data), None)
    return f is not None and data[:1] == b'\n' and f[1] == 2 and next(fields(f[2]), None) is not None


def inputs(path):
    """Yields PATH, or for a folder of cases the input of each case."""
    if os.path.isdir(path) and os.path.exists(os.path.join(path, 'expected.txt')):
        yield next(os.path.join(path, n) for n in sorted(os.listdir(path)) if n != 'expected.txt')
    elif os.path.isdir(path) and any(os.path.isdir(os.path.join(path, n)) for n in os.listdir(path)):
        for name in sorted(os.listdir(path)):
            if os.path.isdir(os.path.join(path, name)):
                yield from inputs(os.path.join(path, name))
    else:
        yield path


def files(source):
    """Yields (name, bytes) of each proto in SOURCE: a file, an archive, a folder."""
    if os.path.isdir(source):
        for n in sorted(os.listdir(source)):
            yield from files(os.path.join(source, n))
    else:
        with open(source, 'rb') as f:
            yield from members(os.path.basename(source), f.read())

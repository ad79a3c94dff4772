#!/usr/bin/env python3
"""Makes the containers of t/102-unpack-containers.bats and t/108-unpack-damage.bats, in the current folder."""
import gzip
import io
import tarfile
import zipfile
import zlib

systrace = (b"# tracer: nop\n"
            b"          <idle>-0     [000] d..2  100.000001: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 "
            b"prev_state=S ==> next_comm=a next_pid=5 next_prio=120\n")
json = b'{"traceEvents":[{"name":"x","ph":"X","ts":1,"dur":2,"pid":1,"tid":1}]}'
manifest = b'{"perfetto_manifest":{"version":1}}'


def put(name, data):
    with open(name, 'wb') as f:
        f.write(data)


def gz(data, name=''):
    out = io.BytesIO()
    with gzip.GzipFile(filename=name, mode='wb', fileobj=out, mtime=0) as f:
        f.write(data)
    return out.getvalue()


def tar(members, **how):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w', **how) as t:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))
    return out.getvalue()


class Pipe:
    """An output that cannot seek. zipfile then writes sizes after the data."""
    def __init__(self):
        self.data = b''

    def write(self, data):
        self.data += data
        return len(data)

    def flush(self):
        pass


def zipped(members, method=zipfile.ZIP_DEFLATED, piped=False):
    out = Pipe() if piped else io.BytesIO()
    with zipfile.ZipFile(out, 'w', method) as z:
        for name, data in members:
            z.writestr(zipfile.ZipInfo(name), data, method)
    return out.data if piped else out.getvalue()


def raw_header(name, size):
    """A GNU header. Its size is in base-256 if octal digits cannot hold it."""
    head = bytearray(512)
    head[:len(name)] = name
    head[100:108] = b'0000644\0'
    head[124:136] = b'%011o\0' % size if size < 8 ** 11 else b'\x80' + size.to_bytes(11, 'big')
    head[148:156] = b' ' * 8
    head[156:157] = b'0'
    head[257:265] = b'ustar  \0'
    head[148:156] = b'%06o\0 ' % sum(head)
    return bytes(head)


put('a.systrace', systrace)
put('a.json', json)
put('m.json', manifest)
for f in ('a.systrace', 'a.json', 'm.json'):
    put(f + '.gz', gz(open(f, 'rb').read(), f))
put('a.ctrace', b'capturing trace... done. TRACE:\n' + zlib.compress(systrace))
members = [('b.systrace', systrace * 1000), ('a.json', json), ('m', manifest), ('n.json.gz', gz(json, 'other')),
           ('d/.hidden/x', b'x'), ('__MACOSX/._m', b'x')]
for name, form in (('gnu', tarfile.GNU_FORMAT), ('pax', tarfile.PAX_FORMAT), ('ustar', tarfile.USTAR_FORMAT)):
    put(name + '.tar', tar(members, format=form))
put('long-gnu.tar', tar([('x' * 300 + '/a.json', json)], format=tarfile.GNU_FORMAT))
put('long-pax.tar', tar([('x' * 300 + '/a.json', json)], format=tarfile.PAX_FORMAT))
put('long-ustar.tar', tar([('x' * 120 + '/a.json', json)], format=tarfile.USTAR_FORMAT))
order = {'TRACEMERGE.order': 'processing'}
put('kept.tar', tar([('m', manifest), ('a.json', json), ('b.json', json)], format=tarfile.PAX_FORMAT, pax_headers=order))
put('lied.tar', tar([('m', manifest), ('b.json', json), ('a.json', json)], format=tarfile.PAX_FORMAT, pax_headers=order))
put('z.tar', tar([('z.json', json)], format=tarfile.GNU_FORMAT))
put('deflated.zip', zipped(members))
put('stored.zip', zipped(members, zipfile.ZIP_STORED))
put('piped.zip', zipped(members, piped=True))
put('lzma.zip', zipped([('a.json', json)], zipfile.ZIP_LZMA))
out = io.BytesIO()
with zipfile.ZipFile(out, 'w') as z:
    with z.open(zipfile.ZipInfo('a.json'), 'w', force_zip64=True) as f:
        f.write(json)
put('zip64.zip', out.getvalue())
secret = bytearray(zipped([('a.json', json)], zipfile.ZIP_STORED))
secret[6] |= 1
secret[secret.find(b'PK\1\2') + 8] |= 1
put('encrypted.zip', secret)
crc = bytearray(zipped([('a.json', json)], zipfile.ZIP_STORED))
crc[crc.find(b'"x"') + 1] ^= 1
put('crc.zip', crc)
for name in ('deflated', 'piped'):
    data = open(name + '.zip', 'rb').read()
    put(name + '-cut.zip', data[:data.find(b'PK\1\2')])
deep = json
for level in range(8):
    deep = gz(deep) if level % 2 else tar([('m%d' % level, deep)], format=tarfile.GNU_FORMAT)
put('deep8', deep)
put('deep9', gz(deep))
with open('big.tar', 'wb') as f:  # members of 5 and 9 GiB, most of which are holes
    for name, size in ((b'five.systrace', 5 << 30), (b'nine.systrace', 9 << 30)):
        f.write(raw_header(name, size))
        start = f.tell()
        f.write(systrace)
        f.seek(start + size)
    f.write(raw_header(b'a.json', len(json)) + json)

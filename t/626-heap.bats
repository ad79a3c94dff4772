# The heaps of the programs: each stage prepares its own (tm_compat_prepare_heap in lib/os/compat.h).

load lib/common

@test "each stage asks for large pages for its heap" {
    only_unsanitized "a sanitized program has no such heap"
    getconf GNU_LIBC_VERSION >/dev/null || skip "another C library"
    [ -e /sys/kernel/mm/transparent_hugepage ] && [ -e /proc/self/smaps ] || skip "a kernel without large pages"
    PYTHONPATH=$TM_SRC/t/lib python3 - <<'PY'
import subprocess
from waiting import look_at, until
def heap(pid):
    """Returns the largest part of the heap: its bytes, and the flags of its memory."""
    parts, is_heap = [(0, [])], False
    with open("/proc/%d/smaps" % pid) as maps:
        for line in maps:
            words = line.split()
            if not words[0].endswith(":"):
                is_heap = words[-1] == "[heap]"
                start, end = (int(place, 16) for place in words[0].split("-"))
            elif is_heap and words[0] == "VmFlags:":
                parts.append((end - start, words[1:]))
    return max(parts)
for stage in "tm-unpack", "tm-manifest", "tm-clocks", "tm-sort", "tm-emit", "tm-align", "tm-plan":
    p = subprocess.Popen([stage], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until(lambda: look_at(p.pid)[1] == "S" and heap(p.pid)[0], p) # it waits for its input
        size, flags = heap(p.pid)
        assert size >= 16 << 20 and "hg" in flags, (stage, size, flags)
    finally:
        p.kill()
        p.wait()
PY
}

"""Makes each call of a kind fail in turn, in one program of a command, and checks the result.

usage: faults.py FAULT_SO PROGRAM CALL[!][,CALL[!]...] OUT COMMAND

A CALL with ! must be made at least once.
bash -o pipefail -c runs COMMAND in an empty folder of its own. OUT is the file that it writes there; if OUT is '',
standard output counts. When a call fails, one of two things must happen. Either the command ends in time with exit
status 3 (or any other failure, for calls that may fail for other reasons), prints one line about it (beside lines that
it prints without a fault too), and leaves neither OUT nor another file. Or it does not need the call, and OUT is as
without a fault. (A standard output without data may fail to close after OUT has appeared.)
"""
import os
import shutil
import subprocess
import sys
import tempfile

so, program, calls, out, command = sys.argv[1:]
# The calls that fail: each of the first ones, later ones in growing steps. TM_FAULTS_EVERY=1000000 tries all.
EVERY = int(os.environ.get("TM_FAULTS_EVERY", "5"))
tried = hits = 0


def run(fault):
    folder = tempfile.mkdtemp(prefix="faults.")
    hit = os.path.join(tempfile.gettempdir(), "faults-hit.%d" % os.getpid())
    env = dict(os.environ)
    if fault:
        env.update(LD_PRELOAD=so, TM_FAULT=fault, TM_FAULT_IN=program, TM_FAULT_HIT=hit)
    try:
        p = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, env=env, capture_output=True,
                           stdin=subprocess.DEVNULL, timeout=300)
        result = open(os.path.join(folder, out), "rb").read() if out and os.path.exists(
            os.path.join(folder, out)) else (None if out else p.stdout)
        return p.returncode, result, sorted(os.listdir(folder)), p.stderr.decode(), os.path.exists(hit) and os.path.getsize(hit) > 0
    finally:
        if os.path.exists(hit):
            os.unlink(hit)
        shutil.rmtree(folder)


def wrong(fault, why, answer):
    print("%s in %s: %s: exit %s, files %s, said %r" % (fault, program, why, answer[0], answer[2], answer[3]))
    sys.exit(1)


def judge(fault, answer):
    status, result, files, said, _ = answer
    if status == 0:
        if result != whole[1]:
            wrong(fault, "succeeded with another result", answer)
        return
    if status < 0 or status > 4:
        wrong(fault, "died", answer)
    if status != 3:
        wrong(fault, "not the system's fault?", answer)
    if files and not (fault.startswith("close:") and files == [out] and result == whole[1]):
        wrong(fault, "left something behind", answer)
    usual = whole[3].splitlines()
    if len([line for line in said.splitlines() if line not in usual]) != 1 and fault != "write:1+":
        wrong(fault, "did not say one line", answer)


whole = run(None)
if whole[0] != 0 or not whole[1]:
    wrong("nothing", "the command fails by itself", whole)
for call in calls.split(","):
    n, found = 1, 0
    is_made, call = call.endswith("!"), call.rstrip("!")
    while True:
        fault = "%s:%d" % (call, n)
        answer = run(fault)
        if not answer[4]:
            break
        found += 1
        judge(fault, answer)
        n += 1 if n < EVERY else n // 4
    tried += 1
    hits += found
    if is_made and found == 0:
        wrong("nothing", "%s was not called" % call, whole)
    if found:
        judge(call + ":1+", run(call + ":1+"))
print("%s: %d faults of %d calls" % (program, hits, tried))
if hits == 0:
    wrong("nothing", "no call was made to fail", whole)

#!/usr/bin/env python3
"""Writes PyTorch profiles of a job whose ranks meet in all-reduces, each rank on a clock of its own.

usage: make-ranks.py RANKS COLLECTIVES OTHERS FOLDER [SEED]

FOLDER/rankNNN.json has COLLECTIVES NCCL kernels with sequence numbers, args as Kineto writes them, and before each of
them OTHERS / COLLECTIVES other kernels. A rank's clock is off by up to a second and drifts by up to 20 ppm. Ranks enter
a collective at random times and leave it within some microseconds.

Prints a line for each file: its name, offset and drift. Its clock shows true + offset + drift * (true - START).
"""
import os
import random
import sys

ranks, collectives, others = map(int, sys.argv[1:4])
folder = sys.argv[4]
seed = int(sys.argv[5]) if len(sys.argv) > 5 else 1
NCCL = 'ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)'
ARGS = ('"External id": %d,"correlation": %d,"Collective name": "allreduce","Process Group Name": "0",'
        '"Process Group Description": "default_pg","Group size": %d,"In msg nelems": 1048576,"dtype": "Float","stream": 20,"Seq": %d')
KERNEL = '{"ph":"X","name":"%s","cat":"kernel","pid":0,"tid":%d,"ts":%d.%03d,"dur":%d.%03d,"args":{%s}}'


def micros(ns):
    return divmod(int(ns), 1000)


def kernel(name, tid, begin, end, args):
    return KERNEL % ((name, tid) + micros(begin) + micros(end - begin) + (args,))


START = 3 * 10**15


def profile(rank, told):
    own = random.Random('%d %d' % (seed, rank))
    shared = random.Random(seed)  # when a collective can begin, the same for all ranks
    offset, drift = own.randrange(-10**9, 10**9), own.uniform(-2e-5, 2e-5)
    told.extend((offset, drift))
    t = START
    clock = lambda true: true + offset + drift * (true - START)
    yield '{"schemaVersion":1,"distributedInfo":{"backend":"nccl","rank":%d,"world_size":%d},"traceEvents":[' % (rank, ranks)
    yield '{"ph":"M","name":"process_name","pid":1000,"args":{"name":"python rank %d"}}' % rank
    for i in range(collectives):
        for k in range(others * i // collectives, others * (i + 1) // collectives):
            begin = t + 2000 * (k % 50) + own.randrange(500)
            yield ',' + kernel('gemm_%d' % (k % 40), 7, clock(begin), clock(begin + 1500),
                               '"External id": %d,"correlation": %d,"stream": 7' % (k, k))
        t += 200000 + shared.randrange(100000)
        end = t + 40000 + own.randrange(3000)
        begin = t - own.randrange(60000)
        yield ',' + kernel(NCCL, 20, clock(begin), clock(end), ARGS % (i, i, ranks, i + 1))
    yield ']}'


os.makedirs(folder, exist_ok=True)
for rank in range(ranks):
    told = []
    with open(os.path.join(folder, 'rank%04d.json' % rank), 'w') as f:
        f.write('\n'.join(profile(rank, told)))
        f.write('\n')
    print('rank%04d.json %d %.9e' % (rank, *told))

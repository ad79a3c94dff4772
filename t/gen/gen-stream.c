/* gen-stream: a stream of random events on standard output, for tests and benchmarks. */
#include "../lib/random_stream.h"

#include <stdlib.h>
#include <unistd.h>

static const char usage[] =
    "usage: gen-stream [-n EVENTS] [-o sorted|shuffled|reversed|nearly|bursts] [-f FILES] [-b BATCH_ROWS]\n"
    "                  [-p PAYLOAD_MAX] [-d DEFINITIONS_PERCENT] [-s SEED] [-w SPAN_NS] [-k STRINGS] [-i] [-j]\n"
    "                  [-P] [-M MACHINE] [-C TRACE_CLOCK] [-g TAG] [-H]\n"
    "  -i files take turns, -j positions do not rise, -P placed, -H the header says sorted\n";

static int order_of(const char *name)
{
    static const char *const names[] = {"sorted", "shuffled", "reversed", "nearly", "bursts"};
    for (int i = 0; i < 5; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    return -1;
}

int main(int argc, char **argv)
{
    static struct random_work work;
    struct random_stream r = {.events = 1000, .order = RANDOM_SHUFFLED, .files = 1, .payload_max = 20, .strings = 10};
    int c;
    while ((c = getopt(argc, argv, "n:o:f:b:p:d:s:w:k:ijPM:C:g:H")) != -1) {
        unsigned long long v = optarg ? strtoull(optarg, NULL, 10) : 0;
        switch (c) {
        case 'n': r.events = v; break;
        case 'o': r.order = (enum random_order)order_of(optarg); break;
        case 'f': r.files = (uint32_t)v; break;
        case 'b': r.batch_rows = (uint32_t)v; break;
        case 'p': r.payload_max = (uint32_t)v; break;
        case 'd': r.definitions_percent = (uint32_t)v; break;
        case 's': r.seed = v; break;
        case 'w': r.span_ns = v; break;
        case 'k': r.strings = (uint32_t)v; break;
        case 'i': r.interleaved = true; break;
        case 'j': r.jumbled = true; break;
        case 'P': r.placed = true; break;
        case 'M': r.machine = optarg; break;
        case 'C': r.trace_clock = (uint32_t)v; break;
        case 'g': r.tag = optarg; break;
        case 'H': r.says_sorted = true; break;
        default: fputs(usage, stderr); return 2;
        }
    }
    if (optind != argc || (int)r.order < 0 || r.files == 0 || r.files > RANDOM_FILES_MAX) {
        fputs(usage, stderr);
        return 2;
    }
    if (random_stream_write(&work, &r, STDOUT_FILENO) < 0) {
        fprintf(stderr, "gen-stream: %s\n", work.err.text);
        return 3;
    }
    return 0;
}

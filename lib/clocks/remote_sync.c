#include "clocks/remote_sync.h"

#include "base/cpu.h"
#include "stream/clock_id.h"

#include <stdlib.h>

#define ROUND_APART_MAX_NS UINT64_C(30000000000)

/* Returns the last reading of CLOCK in a list, or 0, which no running clock shows, if there is none. */
static int64_t reading_of(Tracemerge__Reading *const *readings, size_t count, uint32_t clock)
{
    for (size_t i = count; i > 0; i--)
        if (readings[i - 1]->clock == clock)
            return readings[i - 1]->value;
    return 0;
}

static int64_t client_of(const Tracemerge__SyncRound *round, uint32_t clock)
{
    return reading_of(round->client, round->n_client, clock);
}

static int64_t host_of(const Tracemerge__SyncRound *round, uint32_t clock)
{
    return reading_of(round->host, round->n_host, clock);
}

/* True if B follows A so soon that both belong to one exchange. */
static bool are_consecutive(const Tracemerge__SyncRound *a, const Tracemerge__SyncRound *b)
{
    return (uint64_t)client_of(b, TM_CLOCK_BOOTTIME) - (uint64_t)client_of(a, TM_CLOCK_BOOTTIME) < ROUND_APART_MAX_NS;
}

/* Adds both estimates of each exchange: client to host and back, host to client and back. */
static size_t estimate(const Tracemerge__RemoteClockSync *sync, uint32_t clock, tm_i128 *sum)
{
    size_t n = 0;
    *sum = 0;
    for (size_t i = 1; i < sync->n_rounds; i++) {
        const Tracemerge__SyncRound *a = sync->rounds[i - 1], *b = sync->rounds[i];
        tm_i128 c1 = client_of(a, clock), h1 = host_of(a, clock);
        tm_i128 c2 = client_of(b, clock), h2 = host_of(b, clock);
        if (c1 == 0 || h1 == 0 || c2 == 0 || h2 == 0 || !are_consecutive(a, b))
            continue;
        *sum += (c1 + c2) / 2 - h1;
        *sum += c2 - (h1 + h2) / 2;
        n += 2;
    }
    return n;
}

static int by_clock(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Writes all clock ids of the host side to CLOCKS, sorted, each once. Returns their number. */
static size_t host_clocks(const Tracemerge__RemoteClockSync *sync, uint32_t *clocks)
{
    size_t n = 0, kept = 0;
    for (size_t i = 0; i < sync->n_rounds; i++)
        for (size_t j = 0; j < sync->rounds[i]->n_host; j++)
            clocks[n++] = sync->rounds[i]->host[j]->clock;
    qsort(clocks, n, sizeof *clocks, by_clock);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || clocks[i] != clocks[i - 1])
            clocks[kept++] = clocks[i];
    return kept;
}

enum tm_status tm_remote_offsets_find(struct tm_remote_offsets *out, const Tracemerge__RemoteClockSync *sync,
                                      struct tm_error *err)
{
    enum { READINGS_MAX = 1 << 11, ROUNDS_MAX = 1 << 9 };
    size_t total = 0;
    *out = (struct tm_remote_offsets){0};
    for (size_t i = 0; i < sync->n_rounds; i++)
        total += sync->rounds[i]->n_host + sync->rounds[i]->n_client;
    if (total > READINGS_MAX || sync->n_rounds > ROUNDS_MAX)
        return tm_error_set(err, TM_E_INPUT, "a remote clock synchronization of more than %d rounds or %d readings",
                            ROUNDS_MAX, READINGS_MAX);
    uint32_t *clocks = malloc((total + 1) * sizeof *clocks);
    out->offsets = malloc((total + 1) * sizeof *out->offsets);
    if (clocks == NULL || out->offsets == NULL) {
        free(clocks);
        return tm_error_nomem(err);
    }
    size_t n = host_clocks(sync, clocks);
    for (size_t i = 0; i < n; i++) {
        tm_i128 sum, average;
        size_t estimates = estimate(sync, clocks[i], &sum);
        struct tm_remote_offset *offset = &out->offsets[out->count];
        *offset = (struct tm_remote_offset){.clock = clocks[i]};
        average = estimates ? sum / (tm_i128)estimates : 0;
        if (estimates == 0 || average < INT64_MIN || average > INT64_MAX)
            continue;
        offset->offset_ns = (int64_t)average;
        for (size_t j = 0; j < sync->n_rounds; j++)
            if (host_of(sync->rounds[j], clocks[i]) != 0)
                offset->host_ns = host_of(sync->rounds[j], clocks[i]);
        out->count++;
    }
    free(clocks);
    return TM_OK;
}

void tm_remote_offsets_release(struct tm_remote_offsets *offsets)
{
    free(offsets->offsets);
    *offsets = (struct tm_remote_offsets){0};
}

#include "emit/perfetto/log_stats.h"

#include "base/text.h"
#include "perfetto/message_fields.h"
#include "perfetto/packet_fields.h"

#include <stdlib.h>

enum log { OF_ANDROID, OF_JOURNAL, LOGS };
enum { FIELDS = TM_JOURNALD_NUM_FAILED + 1 };

/* A number of a log: the statistic of that name, and its field. */
static const struct number {
    const char *name;
    enum log log;
    uint32_t field;
} numbers[] = {
    {"android_log_num_total", OF_ANDROID, TM_LOG_STATS_NUM_TOTAL},
    {"android_log_num_failed", OF_ANDROID, TM_LOG_STATS_NUM_FAILED},
    {"android_log_num_skipped", OF_ANDROID, TM_LOG_STATS_NUM_SKIPPED},
    {"systemd_journal_num_total", OF_JOURNAL, TM_JOURNALD_NUM_TOTAL},
    {"systemd_journal_num_failed", OF_JOURNAL, TM_JOURNALD_NUM_FAILED},
};

/* What the files state about the logs of a machine. */
struct sums {
    uint64_t values[LOGS][FIELDS];
    uint32_t has[LOGS]; /* a bit for each field */
    bool is_of_files[LOGS]; /* several files state a number */
};

static const struct number *find_number(const Tracemerge__Stat *stat)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (tm_text_is((struct tm_text){stat->name.data, stat->name.len}, numbers[i].name))
            return &numbers[i];
    return NULL;
}

/* Adds the numbers that files state to SUMS, one for each machine. The catalog has one entry of a statistic for each
 * file and machine. */
static void add_up(const struct tm_catalog *c, struct sums *sums)
{
    for (uint32_t i = 0; i < c->stat_count; i++) {
        const Tracemerge__Stat *stat = c->stats[i];
        const struct number *number =
            stat->from_trace && stat->has_machine && stat->machine < c->machine_count ? find_number(stat) : NULL;
        if (number == NULL)
            continue;
        struct sums *of = &sums[stat->machine];
        of->is_of_files[number->log] |= of->has[number->log] >> number->field & 1;
        of->has[number->log] |= UINT32_C(1) << number->field;
        of->values[number->log][number->field] += (uint64_t)stat->value;
    }
}

static enum tm_status write_sums(struct tm_packet_writer *w, uint32_t machine, const struct sums *of, enum log log,
                                 struct tm_error *err)
{
    size_t packet, stats = 0;
    enum tm_status st = tm_packet_begin(w, machine, err);
    if (st < 0)
        return st;
    st = tm_pb_begin(&w->out, log == OF_ANDROID ? TM_PACKET_ANDROID_LOG : TM_PACKET_JOURNALD, &packet);
    if (st == TM_OK && log == OF_ANDROID)
        st = tm_pb_begin(&w->out, TM_ANDROID_LOG_STATS, &stats);
    for (uint32_t field = 0; field < FIELDS && st == TM_OK; field++)
        if (of->has[log] >> field & 1)
            st = tm_pb_put_varint(&w->out, field, of->values[log][field]);
    if (st == TM_OK && log == OF_ANDROID)
        st = tm_pb_end(&w->out, stats);
    if (st == TM_OK)
        st = tm_pb_end(&w->out, packet);
    return st == TM_OK ? tm_packet_end(w, err) : tm_error_nomem(err);
}

enum tm_status tm_log_stats_write(struct tm_packet_writer *w, struct tm_error *err)
{
    const struct tm_catalog *c = w->catalog;
    struct sums *sums = calloc(c->machine_count ? c->machine_count : 1, sizeof *sums);
    enum tm_status st = TM_OK;
    if (sums == NULL)
        return tm_error_nomem(err);
    add_up(c, sums);
    for (uint32_t machine = 0; machine < c->machine_count; machine++)
        for (enum log log = 0; log < LOGS && st == TM_OK; log++)
            if (sums[machine].is_of_files[log])
                st = write_sums(w, machine, &sums[machine], log, err);
    free(sums);
    return st;
}

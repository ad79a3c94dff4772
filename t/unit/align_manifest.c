/* Unit tests of the manifest that an alignment writes: the relations of the input's manifest. */
#include "align/alignment.h"
#include "stream/clock_id.h"
#include "stream/field_text.h"
#include "tap.h"

#include <string.h>

/* Writes the manifest of an alignment without files whose input relates one file to another by an edge from SOURCE_NS
 * to REFERENCE_NS. Puts the text, as a C string, into OUT. */
static enum tm_status write_edge(int64_t source_ns, int64_t reference_ns, struct tm_buf *out)
{
    Tracemerge__ConfigEntry entries[2] = {TRACEMERGE__CONFIG_ENTRY__INIT, TRACEMERGE__CONFIG_ENTRY__INIT};
    Tracemerge__ConfigEntry *entry_list[] = {&entries[0], &entries[1]};
    Tracemerge__ConfigClock source = TRACEMERGE__CONFIG_CLOCK__INIT, reference = TRACEMERGE__CONFIG_CLOCK__INIT;
    Tracemerge__ConfigEdge edge = TRACEMERGE__CONFIG_EDGE__INIT, *edge_list[] = {&edge};
    Tracemerge__Config config = TRACEMERGE__CONFIG__INIT;
    struct tm_alignment alignment = {.candidates.config = &config};
    struct tm_error err = {0};
    source.clock = reference.clock = TM_CLOCK_TRACE_FILE;
    reference.has_entry = true;
    reference.entry = 1;
    edge.source = &source;
    edge.reference = &reference;
    edge.has_entry = true;
    edge.source_ns = source_ns;
    edge.reference_ns = reference_ns;
    for (int i = 0; i < 2; i++)
        entries[i].path = tm_bytes(i ? "b" : "a", 1);
    config.entries = entry_list;
    config.n_entries = 2;
    config.edges = edge_list;
    config.n_edges = 1;
    out->len = 0;
    enum tm_status st = tm_alignment_manifest(&alignment, out, &err);
    (void)tm_buf_cstr(out);
    return st;
}

/* An offset beyond 64 bits cannot be stated. Only a stream that another program made has one. */
static void test_edges(void)
{
    struct tm_buf out = {0};
    is_int(write_edge(5, 0, &out), TM_OK);
    ok(strstr((const char *)out.data, "\"offset_ns\": -5}"));
    is_int(write_edge(-1, INT64_MAX - 1, &out), TM_OK);
    ok(strstr((const char *)out.data, "\"offset_ns\": 9223372036854775807}"));
    is_int(write_edge(-1, INT64_MAX, &out), TM_E_INPUT);
    is_int(write_edge(1, INT64_MIN, &out), TM_E_INPUT);
    tm_buf_release(&out);
}

int main(void)
{
    test_edges();
    return tap_done();
}

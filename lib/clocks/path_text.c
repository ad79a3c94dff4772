#include "clocks/path_text.h"

#include "stream/clock_name.h"

static enum tm_status add_file(struct tm_buf *out, const struct tm_clock_files *files, uint32_t tag)
{
    char text[256];
    if (!(tag & TM_TAG_ENTRY)) {
        const char *name = tag - 1 < files->count ? tm_clock_file_text(files->files[tag - 1]) : "-";
        return tm_buf_add_str(out, name);
    }
    uint32_t entry = tag & ~TM_TAG_ENTRY;
    if (files->config == NULL || entry >= files->config->n_entries)
        return tm_buf_add_str(out, "-");
    const ProtobufCBinaryData *path = &files->config->entries[entry]->path;
    tm_text_escape((const char *)path->data, path->len, text, sizeof text);
    return tm_buf_add_str(out, text);
}

enum tm_status tm_path_clock_text(struct tm_buf *out, const struct tm_clock_registry *registry,
                                  const struct tm_clock_files *files, uint32_t clock)
{
    char machine[256];
    const struct tm_clock_key *key = &registry->graph.clocks.clocks[clock].key;
    const char *name = tm_name_of_clock(key->clock);
    enum tm_status st = name ? tm_buf_add_str(out, name) : tm_buf_addf(out, "clock %u", key->clock);
    tm_machine_table_text(&registry->machines, key->machine, machine, sizeof machine);
    if (st == TM_OK)
        st = tm_buf_addf(out, "(%s", key->clock == TM_CLOCK_TRACE_FILE ? "" : machine);
    if (st == TM_OK && key->tag && key->clock != TM_CLOCK_TRACE_FILE)
        st = tm_buf_add_str(out, ", ");
    if (st == TM_OK && key->tag)
        st = add_file(out, files, key->tag);
    if (st == TM_OK && key->sequence)
        st = tm_buf_addf(out, ", sequence %u", key->sequence);
    return st < 0 ? st : tm_buf_add_byte(out, ')');
}

static const char *arrow(enum tm_edge_origin origin)
{
    return origin == TM_EDGE_SNAPSHOT   ? " -> "
           : origin == TM_EDGE_MANIFEST ? " -manifest-> "
           : origin == TM_EDGE_HINT     ? " -hint-> "
                                        : " = ";
}

enum tm_status tm_path_text(struct tm_buf *out, const struct tm_clock_registry *registry,
                            const struct tm_clock_files *files, uint32_t source, const struct tm_step *step)
{
    if (source == UINT32_MAX)
        return tm_buf_add_str(out, "taken as trace time");
    enum tm_status st = tm_path_clock_text(out, registry, files, source);
    for (uint32_t i = 0; i < step->hop_count && st == TM_OK; i++) {
        const struct tm_clock_kind *kind = &registry->graph.kinds[step->hops[i].kind];
        st = tm_buf_add_str(out, arrow((enum tm_edge_origin)kind->origins[step->hops[i].row]));
        if (st == TM_OK)
            st = tm_path_clock_text(out, registry, files, step->hops[i].to);
    }
    return st;
}

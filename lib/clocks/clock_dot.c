#include "clocks/clock_dot.h"

#include "clocks/path_text.h"

static enum tm_status add_node(struct tm_buf *out, const struct tm_clock_registry *registry,
                               const struct tm_clock_files *files, uint32_t clock)
{
    struct tm_buf text = {0};
    enum tm_status st = tm_path_clock_text(&text, registry, files, clock);
    if (st == TM_OK)
        st = tm_buf_addf(out, "  c%u [label=\"", clock);
    for (size_t i = 0; i < text.len && st == TM_OK; i++) {
        if (text.data[i] == '"' || text.data[i] == '\\')
            st = tm_buf_add_byte(out, '\\');
        if (st == TM_OK)
            st = tm_buf_add_byte(out, text.data[i]);
    }
    tm_buf_release(&text);
    if (st == TM_OK)
        st = tm_buf_add_str(out, clock == registry->trace_time.index ? "\" peripheries=2];\n" : "\"];\n");
    return st;
}

static enum tm_status add_kind(struct tm_buf *out, const struct tm_clock_kind *kind)
{
    enum tm_edge_origin origin = (enum tm_edge_origin)kind->origins[kind->count - 1];
    const char *style = origin == TM_EDGE_SNAPSHOT                              ? ""
                        : origin == TM_EDGE_MANIFEST || origin == TM_EDGE_HINT ? " style=dashed"
                                                                                : " style=dotted";
    enum tm_status st = TM_OK;
    for (uint32_t i = 1; i < kind->width && st == TM_OK; i++)
        st = tm_buf_addf(out, "  c%u -- c%u [label=\"%u\"%s];\n", kind->clocks[0], kind->clocks[i], kind->count, style);
    return st;
}

enum tm_status tm_clock_dot(struct tm_buf *out, const struct tm_clock_registry *registry,
                            const struct tm_clock_files *files)
{
    const struct tm_clock_graph *graph = &registry->graph;
    enum tm_status st = tm_buf_add_str(out, "graph clocks {\n  node [shape=box];\n");
    for (uint32_t i = 0; i < graph->clocks.count && st == TM_OK; i++)
        if (graph->clocks.clocks[i].is_known || i == registry->trace_time.index)
            st = add_node(out, registry, files, i);
    for (uint32_t i = 0; i < graph->kind_count && st == TM_OK; i++)
        if (graph->kinds[i].is_linked)
            st = add_kind(out, &graph->kinds[i]);
    return st < 0 ? st : tm_buf_add_str(out, "}\n");
}

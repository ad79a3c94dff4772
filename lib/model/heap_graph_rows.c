/* Collects a graph of a Java heap for each sequence of packets, and passes it on when its dump is complete. */
#include "model/internal.h"

static enum tm_status count_faults(struct tm_model_output *out, struct tm_place place,
                                   const struct tm_heap_graph *graph, struct tm_error *err)
{
    static const enum tm_model_stat stats[TM_HEAP_FAULT_COUNT] = {
        [TM_HEAP_MALFORMED] = TM_MODEL_HEAP_GRAPH_MALFORMED,
        [TM_HEAP_MISSING_PACKET] = TM_MODEL_HEAP_GRAPH_MISSING_PACKET,
        [TM_HEAP_NO_LOCATION] = TM_MODEL_HEAP_GRAPH_NO_LOCATION,
        [TM_HEAP_NOT_FINISHED] = TM_MODEL_HEAP_GRAPH_NOT_FINISHED};
    enum tm_status st = TM_OK;
    for (int i = 0; st == TM_OK && i < TM_HEAP_FAULT_COUNT; i++)
        if (graph->faults[i])
            st = tm_model_stats_add(&out->stats, place, stats[i], graph->faults[i], err);
    return st;
}

/* Completes the graph of a sequence and passes it on. */
static enum tm_status finish(struct tm_model_tasks *tasks, struct tm_model_output *out, struct tm_sequence_graph *of,
                             struct tm_error *err)
{
    int64_t upid = TM_NO_ID;
    enum tm_status st = tm_heap_graph_finish(of->graph, err);
    if (st == TM_OK && of->graph->has_owner)
        st = tm_processes_process(&tasks->processes, of->place.machine, of->graph->pid, &upid, err);
    if (of->graph->has_owner)
        tm_row_bounds_add(&out->bounds, of->graph->ts);
    if (st == TM_OK)
        st = count_faults(out, of->place, of->graph, err);
    if (st == TM_OK)
        st = out->rows->heap_graph(out->rows->self, of->graph, upid, err);
    tm_sequence_graph_end(of);
    return st;
}

enum tm_status tm_model_heap_graph(struct tm_model_heaps *heaps, struct tm_model_tasks *tasks,
                                   struct tm_model_output *out, struct tm_model_event *ev, struct tm_error *err)
{
    struct tm_pb_field f;
    struct tm_sequence_graph *of;
    int64_t upid;
    bool is_last;
    enum tm_status st = tm_processes_process(&tasks->processes, ev->place.machine, ev->e->pid, &upid, err);
    if (st < 0 || out->rows->heap_graph == NULL ||
        !tm_model_part(ev->e->detail, ev->e->detail_bytes, TM_DETAIL_HEAP_GRAPH, &f))
        return st;
    if ((st = tm_heap_graphs_of(&heaps->graphs, ev->e, &of, err)) < 0 ||
        (st = tm_heap_graph_add(of->graph, ev->e->time_ns, tm_text_at(f.data, f.len), &is_last, err)) < 0)
        return st;
    return is_last ? finish(tasks, out, of, err) : TM_OK;
}

enum tm_status tm_model_heap_graphs_finish(struct tm_model_heaps *heaps, struct tm_model_tasks *tasks,
                                           struct tm_model_output *out, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; st == TM_OK && i < heaps->graphs.count; i++) {
        struct tm_sequence_graph *of = &heaps->graphs.sequences[i];
        if (of->graph == NULL)
            continue;
        of->graph->faults[TM_HEAP_NOT_FINISHED]++;
        st = finish(tasks, out, of, err);
    }
    return st;
}

#include "model/heap_graphs.h"

#include <stdlib.h>

enum tm_status tm_heap_graphs_of(struct tm_heap_graphs *graphs, const struct tm_event *event,
                                 struct tm_sequence_graph **of, struct tm_error *err)
{
    struct tm_key key = {event->file, event->machine, event->sequence};
    int64_t i = tm_table_find(&graphs->by_sequence, &key);
    enum tm_status st;
    if (i == TM_TABLE_NONE) {
        i = graphs->count;
        if ((st = tm_array_grow(&graphs->sequences, &graphs->cap, graphs->count, sizeof *graphs->sequences, err)) < 0 ||
            (st = tm_table_set(&graphs->by_sequence, &key, i, err)) < 0)
            return st;
        graphs->sequences[graphs->count++] = (struct tm_sequence_graph){.place = tm_place_of(event)};
    }
    *of = &graphs->sequences[i];
    if ((*of)->graph)
        return TM_OK;
    if (((*of)->graph = malloc(sizeof *(*of)->graph)) == NULL)
        return tm_error_nomem(err);
    tm_heap_graph_init((*of)->graph);
    return TM_OK;
}

void tm_sequence_graph_end(struct tm_sequence_graph *of)
{
    tm_heap_graph_release(of->graph);
    free(of->graph);
    of->graph = NULL;
}

void tm_heap_graphs_release(struct tm_heap_graphs *graphs)
{
    for (uint32_t i = 0; i < graphs->count; i++)
        if (graphs->sequences[i].graph)
            tm_sequence_graph_end(&graphs->sequences[i]);
    free(graphs->sequences);
    tm_table_release(&graphs->by_sequence);
    *graphs = (struct tm_heap_graphs){0};
}

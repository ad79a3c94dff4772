#include "align/nodes.h"

#include "base/table.h"

#include <stdlib.h>

/* The coarsest clock that profilers use is JavaScript's Date, in milliseconds. The differences of fewer readings than
 * READINGS_MIN may have a common divisor by chance. Of these only the units that clocks count are taken for steps. */
enum { GRAIN_MAX_NS = 1000000, GRAIN_USUAL_NS = 1000, READINGS_MIN = 5 };

enum tm_status tm_align_nodes_get(struct tm_align_nodes *nodes, uint32_t file, uint32_t *node, struct tm_error *err)
{
    if (tm_map_find(&nodes->of_file, file, node))
        return TM_OK;
    if (tm_array_grow(&nodes->nodes, &nodes->cap, nodes->count, sizeof *nodes->nodes, err) < 0)
        return err->status;
    if (tm_map_set(&nodes->of_file, file, nodes->count) != TM_OK)
        return tm_error_nomem(err);
    nodes->nodes[nodes->count] = (struct tm_align_node){.file = file, .first_ns = INT64_MAX, .last_ns = INT64_MIN};
    *node = nodes->count++;
    return TM_OK;
}

void tm_align_nodes_extend(struct tm_align_nodes *nodes, uint32_t at, int64_t first_ns, int64_t last_ns)
{
    struct tm_align_node *node = &nodes->nodes[at];
    if (first_ns < node->first_ns)
        node->first_ns = first_ns;
    if (last_ns > node->last_ns)
        node->last_ns = last_ns;
}

static int64_t divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

void tm_align_nodes_note(struct tm_align_nodes *nodes, uint32_t at, int64_t ns)
{
    struct tm_align_node *node = &nodes->nodes[at];
    if (node->readings == 0)
        node->reading_ns = ns;
    if (node->readings < READINGS_MIN)
        node->readings++;
    if (node->step_ns == 1)
        return;
    int64_t distance = ns > node->reading_ns ? ns - node->reading_ns : node->reading_ns - ns;
    node->step_ns = divisor(distance, node->step_ns);
}

int64_t tm_align_node_grain(const struct tm_align_node *node)
{
    int64_t grain = node->step_ns == 0 ? 1 : divisor(node->step_ns, GRAIN_MAX_NS);
    if (node->readings >= READINGS_MIN || grain == GRAIN_MAX_NS)
        return grain;
    return grain % GRAIN_USUAL_NS == 0 ? GRAIN_USUAL_NS : 1;
}

void tm_align_nodes_release(struct tm_align_nodes *nodes)
{
    free(nodes->nodes);
    tm_map_release(&nodes->of_file);
    *nodes = (struct tm_align_nodes){0};
}

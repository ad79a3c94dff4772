#include "emit/outputs.h"

#define ROW(name) {&tm_emit_##name, &tm_emit_##name##_functions},

static const struct {
    const struct tm_emit *emit;
    const struct tm_emit_functions *functions;
} all[] = {TM_OUTPUTS(ROW)};

const struct tm_emit_functions *tm_emit_functions_of(const struct tm_emit *emit)
{
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].emit == emit)
            return all[i].functions;
    return NULL;
}

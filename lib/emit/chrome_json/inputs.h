/* Facts about all inputs that a Chrome JSON output depends on. They are known before the first event. */
#ifndef TM_EMIT_CHROME_JSON_INPUTS_H
#define TM_EMIT_CHROME_JSON_INPUTS_H

#include "model/catalog.h"

struct tm_json_inputs {
    uint32_t json_count; /* inputs that are Chrome JSON */
    bool are_several;    /* several inputs have events: those of Chrome JSON may share threads and ids */
    bool are_named;      /* there are several files or machines: the label of each process names its own */
};

static inline struct tm_json_inputs tm_json_inputs_of(const struct tm_catalog *c)
{
    struct tm_json_inputs inputs = {0};
    uint32_t traces = 0;
    for (uint32_t i = 0; i < c->file_count; i++) {
        const struct tm_catalog_file *f = &c->files[i];
        inputs.json_count += f->begun && f->input_type == TM_INPUT_JSON;
        traces += f->begun && f->clock_policy != TRACEMERGE__CLOCK_POLICY__NO_CLOCK;
    }
    inputs.are_several = traces > 1;
    inputs.are_named = traces > 1 || c->machine_count > 1;
    return inputs;
}

#endif

#include "manifest/draft_options.h"

#include "base/table.h"
#include "manifest/machine_rule.h"

#include <stdlib.h>
#include <string.h>

enum tm_status tm_draft_options_add(struct tm_draft_options *options, enum tm_draft_option_id option, const char *text,
                                    struct tm_error *err)
{
    if (tm_array_grow(&options->all, &options->cap, options->count, sizeof *options->all, err) < 0)
        return TM_E_SYSTEM;
    options->all[options->count++] = (struct tm_draft_option){option, text};
    return TM_OK;
}

enum tm_status tm_draft_options_apply(const struct tm_draft_options *options, struct tm_draft *draft,
                                      struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (size_t i = 0; i < options->count && st == TM_OK; i++) {
        const char *text = options->all[i].text;
        switch (options->all[i].id) {
        case TM_DRAFT_MACHINE: st = tm_draft_machine(draft, text, err); break;
        case TM_DRAFT_SYNC: st = tm_draft_sync(draft, text, err); break;
        case TM_DRAFT_TRACE_TIME: st = tm_draft_trace_time(draft, text, err); break;
        case TM_DRAFT_MACHINE_FROM: break;
        }
    }
    for (size_t i = 0; i < options->count && st == TM_OK; i++)
        if (options->all[i].id == TM_DRAFT_MACHINE_FROM)
            st = tm_machine_rule_apply(draft, options->all[i].text, err);
    return st;
}

enum tm_status tm_draft_options_add_auto(struct tm_draft_options *options, struct tm_error *err)
{
    for (size_t i = 0; i < options->count; i++)
        if (options->all[i].id == TM_DRAFT_MACHINE || options->all[i].id == TM_DRAFT_MACHINE_FROM)
            return TM_OK;
    return tm_draft_options_add(options, TM_DRAFT_MACHINE_FROM, "auto", err);
}

const char *tm_draft_option_name(enum tm_draft_option_id option)
{
    switch (option) {
    case TM_DRAFT_MACHINE: return "--machine";
    case TM_DRAFT_SYNC: return "--sync";
    case TM_DRAFT_TRACE_TIME: return "--trace-time";
    default: return "--machine-from";
    }
}

bool tm_draft_options_need_manifest(const struct tm_draft_options *options)
{
    bool needs = false;
    for (size_t i = 0; i < options->count; i++) {
        const char *text = options->all[i].text;
        bool is_rule = options->all[i].id == TM_DRAFT_MACHINE_FROM;
        needs |= !is_rule || (strcmp(text, "auto") != 0 && strcmp(text, "none") != 0);
    }
    return needs;
}

void tm_draft_options_release(struct tm_draft_options *options)
{
    free(options->all);
    *options = (struct tm_draft_options){0};
}

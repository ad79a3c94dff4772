#include "manifest/plan_words.h"

#include "base/table.h"
#include "manifest/machine_rule.h"

#include <stdlib.h>
#include <string.h>

enum tm_status tm_plan_words_add(struct tm_plan_words *words, enum tm_plan_option option, const char *text,
                                 struct tm_error *err)
{
    if (tm_array_grow(&words->words, &words->cap, words->count, sizeof *words->words, err) < 0)
        return TM_E_SYSTEM;
    words->words[words->count++] = (struct tm_plan_word){option, text};
    return TM_OK;
}

enum tm_status tm_plan_words_apply(const struct tm_plan_words *words, struct tm_merge_plan *plan, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (size_t i = 0; i < words->count && st == TM_OK; i++) {
        const char *text = words->words[i].text;
        switch (words->words[i].option) {
        case TM_PLAN_MACHINE: st = tm_merge_plan_machine(plan, text, err); break;
        case TM_PLAN_SYNC: st = tm_merge_plan_sync(plan, text, err); break;
        case TM_PLAN_TRACE_TIME: st = tm_merge_plan_trace_time(plan, text, err); break;
        case TM_PLAN_MACHINE_FROM: break;
        }
    }
    for (size_t i = 0; i < words->count && st == TM_OK; i++)
        if (words->words[i].option == TM_PLAN_MACHINE_FROM)
            st = tm_machine_rule_apply(plan, words->words[i].text, err);
    return st;
}

enum tm_status tm_plan_words_add_auto(struct tm_plan_words *words, struct tm_error *err)
{
    for (size_t i = 0; i < words->count; i++)
        if (words->words[i].option == TM_PLAN_MACHINE || words->words[i].option == TM_PLAN_MACHINE_FROM)
            return TM_OK;
    return tm_plan_words_add(words, TM_PLAN_MACHINE_FROM, "auto", err);
}

const char *tm_plan_option_name(enum tm_plan_option option)
{
    switch (option) {
    case TM_PLAN_MACHINE: return "--machine";
    case TM_PLAN_SYNC: return "--sync";
    case TM_PLAN_TRACE_TIME: return "--trace-time";
    default: return "--machine-from";
    }
}

bool tm_plan_words_say(const struct tm_plan_words *words)
{
    bool say = false;
    for (size_t i = 0; i < words->count; i++) {
        const char *text = words->words[i].text;
        bool is_rule = words->words[i].option == TM_PLAN_MACHINE_FROM;
        say |= !is_rule || (strcmp(text, "auto") != 0 && strcmp(text, "none") != 0);
    }
    return say;
}

void tm_plan_words_release(struct tm_plan_words *words)
{
    free(words->words);
    *words = (struct tm_plan_words){0};
}

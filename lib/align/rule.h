/* The rules that relate events of different files: which events a rule uses, and what they state about each other's
 * times. */
#ifndef TM_ALIGN_RULE_H
#define TM_ALIGN_RULE_H

#include "align/record.h"
#include "base/text.h"
#include "stream/event.h"

#include <regex.h>
#include <stdbool.h>
#include <string.h>

/* An argument of an event: the bytes of a string, or the 64 bits of a number. */
struct tm_align_arg {
    struct tm_text key;  /* without a leading "args." or "debug." */
    struct tm_text text; /* data NULL: a number */
    uint64_t number;
};

enum { TM_ALIGN_ARGS_MAX = 64, TM_ALIGN_FLOWS_MAX = 32 };

/* An event with a time, or a slice with both its ends, and its facts. All borrowed. */
struct tm_align_event {
    const struct tm_event *event; /* of a slice: its begin */
    int64_t begin_ns, end_ns;     /* equal if it has no duration */
    bool is_slice;
    bool has_tid, wants_mark; /* wants_mark: a record of TM_ROLE_MARK would be kept */
    int64_t tid;
    struct tm_text name, category;
    uint32_t name_string; /* string number in the catalog; 0: none */
    uint32_t arg_count;
    struct tm_align_arg args[TM_ALIGN_ARGS_MAX];
    uint32_t flow_count, ending_flow_count;
    uint64_t flows[TM_ALIGN_FLOWS_MAX], ending_flows[TM_ALIGN_FLOWS_MAX];
    bool has_bind;
    enum tm_role bind_role; /* of bind */
    uint64_t bind;
};

/* A rule in use. */
struct tm_align_use {
    const struct tm_align_rule *rule;
    char *given;           /* its text in RULES, owned */
    const char *parameter; /* the text after the colon, inside given; NULL: none */
    bool has_pattern, begin_only, end_only;
    regex_t pattern; /* of the rule name */
};

/* Adds a record. ORDINAL: its key is that of a group, and it needs a number. */
typedef void tm_align_put(void *context, const struct tm_record *record, bool ordinal);

struct tm_align_rule {
    const char *name;
    const char
        *parameter; /* what follows after a colon; NULL: nothing, and the rule is in use unless others are named */
    const char *arg_names; /* the arguments that it reads; NULL: none, or the one that its parameter names */
    /* Adds the records of EVENT with all fields except node, name and rule. */
    void (*take)(const struct tm_align_use *use, const struct tm_align_event *event, tm_align_put *put, void *context);
};

/* The table of rules; a NULL name ends it. */
extern const struct tm_align_rule tm_align_rules[];

/* Returns the end of the first rule of the list RULES: a comma, except before begin or end, inside brackets of any kind
 * or after a backslash. Brackets after a backslash, and those in a bracket expression, are only characters. */
const char *tm_align_rule_end(const char *rules);

/* Returns the argument KEY of LEN bytes, or NULL. */
static inline const struct tm_align_arg *tm_align_arg_of(const struct tm_align_event *event, const char *key,
                                                         size_t len)
{
    for (uint32_t i = 0; i < event->arg_count; i++)
        if (event->args[i].key.len == len && memcmp(event->args[i].key.data, key, len) == 0)
            return &event->args[i];
    return NULL;
}

/* Returns the argument KEY, or NULL. A constant KEY is compared without a call. */
static inline const struct tm_align_arg *tm_align_arg(const struct tm_align_event *event, const char *key)
{
    return tm_align_arg_of(event, key, strlen(key));
}

/* Returns a hash of the argument's value. It is equal for "12" and 12. */
uint64_t tm_align_arg_hash(const struct tm_align_arg *arg, uint64_t seed);

/* The take functions of the rules, as struct tm_align_rule describes them. Each is in the file of its rule. */
void tm_align_take_flows(const struct tm_align_use *use, const struct tm_align_event *event, tm_align_put *put,
                         void *context);
void tm_align_take_spans(const struct tm_align_use *use, const struct tm_align_event *event, tm_align_put *put,
                         void *context);
void tm_align_take_key(const struct tm_align_use *use, const struct tm_align_event *event, tm_align_put *put,
                       void *context);
void tm_align_take_name(const struct tm_align_use *use, const struct tm_align_event *event, tm_align_put *put,
                        void *context);
void tm_align_take_collectives(const struct tm_align_use *use, const struct tm_align_event *event, tm_align_put *put,
                               void *context);
void tm_align_take_recorded_twice(const struct tm_align_use *use, const struct tm_align_event *event, tm_align_put *put,
                                  void *context);

#endif

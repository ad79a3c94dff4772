/* What relates events of different files, a rule each: which events it looks at, and what they say of each other. */
#ifndef TM_ALIGN_RULE_H
#define TM_ALIGN_RULE_H

#include "align/record.h"
#include "base/text.h"
#include "stream/event.h"

#include <regex.h>
#include <stdbool.h>

/* An argument of an event; of a string the bytes, of a number its 64 bits. */
struct tm_align_arg {
    struct tm_text key;  /* without "args." or "debug." in front */
    struct tm_text text; /* data NULL: a number */
    uint64_t number;
};

enum { TM_ALIGN_ARGS_MAX = 64, TM_ALIGN_FLOWS_MAX = 32 };

/* An event with a time, a slice with both its ends, and what is known of it. All borrowed. */
struct tm_align_event {
    const struct tm_event *event; /* of a slice its beginning */
    int64_t begin_ns, end_ns;     /* the same where it has no duration */
    bool is_slice;
    bool has_tid, wants_copy; /* its thread is known; a record of TM_ROLE_COPY would be kept */
    int64_t tid;
    struct tm_text name, category;
    uint32_t name_string; /* of the catalog; 0 where it has no number */
    uint32_t arg_count;
    struct tm_align_arg args[TM_ALIGN_ARGS_MAX];
    uint32_t flow_count, ending_flow_count;
    uint64_t flows[TM_ALIGN_FLOWS_MAX], ending_flows[TM_ALIGN_FLOWS_MAX];
    bool has_bind;
    enum tm_role bind_role; /* of bind_id */
    uint64_t bind;
};

/* A rule as it was asked for. */
struct tm_align_use {
    const struct tm_align_rule *rule;
    char *given;           /* as RULES has it, owned */
    const char *parameter; /* after the colon, inside given; NULL: none */
    bool has_pattern, begin_only, end_only;
    regex_t pattern; /* of the rule name */
};

/* A record more; ORDINAL: its key is that of a group in which it has no number yet. */
typedef void tm_align_put(void *context, const struct tm_record *record, bool ordinal);

struct tm_align_rule {
    const char *name;
    const char
        *parameter; /* what must follow after a colon; NULL: nothing, and the rule is used unless others are named */
    /* Puts the records of EVENT, with all but node, name and rule set. */
    void (*take)(const struct tm_align_use *use, const struct tm_align_event *event, tm_align_put *put, void *context);
};

/* The table of rules, ended by a name of NULL. */
extern const struct tm_align_rule tm_align_rules[];

/* The argument KEY, or NULL. */
const struct tm_align_arg *tm_align_arg(const struct tm_align_event *event, const char *key);

/* A number for the argument's value; the same for "12" and 12. */
uint64_t tm_align_arg_hash(const struct tm_align_arg *arg, uint64_t seed);

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
void tm_align_take_twice(const struct tm_align_use *use, const struct tm_align_event *event, tm_align_put *put,
                         void *context);

#endif

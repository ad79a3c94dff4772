/* Which machines, files, categories and names are wanted: the keys of --only against the catalog,
 * each answer worked out once an id. */
#ifndef TM_SELECT_MATCHER_H
#define TM_SELECT_MATCHER_H

#include "base/buf.h"
#include "model/catalog.h"
#include "select/spec.h"

struct tm_matcher_answers { /* by id: 0 not asked yet, 1 no, 2 yes */
    uint8_t *known;
    uint32_t count;
};

/* Zero-initialise, with .spec and .catalog set (borrowed). Memory: a byte for each file, machine and
 * string of the catalog. */
struct tm_matcher {
    const struct tm_select_spec *spec;
    const struct tm_catalog *catalog;
    /* private */
    struct tm_matcher_answers files, machines, names, categories;
    struct tm_buf text;
};

/* *WANTED: whether FILE and MACHINE, ids of the catalog, are. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_matcher_place(struct tm_matcher *matcher, uint32_t file, uint32_t machine, bool *wanted,
                                struct tm_error *err);

/* True when there are no keys that look at names or categories. */
static inline bool tm_matcher_takes_all(const struct tm_matcher *m)
{
    return m->spec->values[TM_SELECT_CATEGORY].count == 0 && m->spec->values[TM_SELECT_NAME].count == 0;
}

/* *WANTED: whether name NAME and category CATEGORY are, columns of EVENT. Of the categories in a list
 * one suffices. */
enum tm_status tm_matcher_labels(struct tm_matcher *matcher, const struct tm_event *event, uint32_t name,
                                 uint32_t category, bool *wanted, struct tm_error *err);

/* The same for a name that is no string of the stream; it has no category. */
enum tm_status tm_matcher_text(struct tm_matcher *matcher, struct tm_text name, bool *wanted, struct tm_error *err);

/* Whether value I of KEY, machines or files, means one that the catalog knows. TM_OK, TM_END when
 * it means none, TM_E_SYSTEM. */
enum tm_status tm_matcher_is_known(struct tm_matcher *matcher, enum tm_select_key key, uint32_t i,
                                   struct tm_error *err);

void tm_matcher_release(struct tm_matcher *matcher);

#endif

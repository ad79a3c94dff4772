/* Decides which machines, files, categories, names and kinds are wanted. It compares the keys of --only with the
 * catalog. Each answer is computed once for each id. */
#ifndef TM_SELECT_CRITERIA_H
#define TM_SELECT_CRITERIA_H

#include "base/buf.h"
#include "model/catalog.h"
#include "select/spec.h"

struct tm_criteria_answers { /* by id: 0 unknown, 1 no, 2 yes */
    uint8_t *known;
    uint32_t count;
};

/* Zero-initialise and set .spec and .catalog (borrowed). Memory: a byte for each file, machine and string of the
 * catalog. */
struct tm_criteria {
    const struct tm_select_spec *spec;
    const struct tm_catalog *catalog;
    /* private */
    struct tm_criteria_answers files, machines, names, categories;
    struct tm_buf text;
};

/* *WANTED: true if FILE and MACHINE, ids of the catalog, are wanted. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_criteria_place(struct tm_criteria *criteria, uint32_t file, uint32_t machine, bool *wanted,
                                 struct tm_error *err);

/* True if no key looks at more than machines, files and times. */
static inline bool tm_criteria_takes_all(const struct tm_criteria *c)
{
    const struct tm_select_values *values = c->spec->values;
    return values[TM_SELECT_CATEGORY].count == 0 && values[TM_SELECT_NAME].count == 0 &&
           values[TM_SELECT_KIND].count == 0 && !tm_select_spec_looks_ahead(c->spec);
}

/* True if events of KIND are wanted. */
bool tm_criteria_kind(const struct tm_criteria *criteria, uint32_t kind);

/* Finds the answer for ID. Adds it as 0 if there is none. *ANSWER is valid until the next call. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_criteria_answer(struct tm_criteria_answers *answers, uint32_t id, uint8_t **answer,
                                  struct tm_error *err);

/* *FITS_ONE: true if TEXT equals one of VALUES, or one of them is a pattern that matches it. BUF is for a copy. TM_OK
 * or TM_E_SYSTEM. */
enum tm_status tm_criteria_fits_any(const struct tm_select_values *values, struct tm_text text, struct tm_buf *buf,
                                    bool *fits_one, struct tm_error *err);

/* *WANTED: true if the name of EVENT and CATEGORY, a column of it or 0, are wanted. If a category column lists several
 * categories, one that matches suffices. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_criteria_labels(struct tm_criteria *criteria, const struct tm_event *event, uint32_t category,
                                  bool *wanted, struct tm_error *err);

/* *WANTED: true if NAME is wanted. It is not a string of the stream and has no category. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_criteria_text(struct tm_criteria *criteria, struct tm_text name, bool *wanted, struct tm_error *err);

/* Looks up value I of KEY, which is machines or files. TM_OK if it matches something in the catalog, TM_END if not,
 * TM_E_SYSTEM. */
enum tm_status tm_criteria_is_known(struct tm_criteria *criteria, enum tm_select_key key, uint32_t i,
                                    struct tm_error *err);

void tm_criteria_release(struct tm_criteria *criteria);

#endif

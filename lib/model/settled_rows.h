/* The rows that a row becomes once its meaning is settled by the rows before it. */
#ifndef TM_MODEL_SETTLED_ROWS_H
#define TM_MODEL_SETTLED_ROWS_H

#include "stream/event.h"

/* The first replaces the row and keeps its raw bytes. The second, if any, is DERIVED. A DERIVED row may become none.
 * Their details are valid until the next row is settled. */
struct tm_settled_rows {
    struct tm_event rows[2];
    uint32_t count;
};

#endif

/* Sorts one stream, from descriptor to descriptor. */
#ifndef TM_SORT_SORT_STREAM_H
#define TM_SORT_SORT_STREAM_H

#include "sort/sorter.h"

/* Reads the stream IN and writes it in order to OUT. If the header says that the stream is sorted, it is copied and
 * checked. TM_OK. TM_E_INPUT; OUT then holds nothing, or a stream without END. TM_E_SYSTEM. */
enum tm_status tm_sort_stream(int in, int out, const struct tm_sort_options *options, struct tm_error *err);

/* Reads the stream IN and checks its order. TM_OK, or TM_E_INPUT with the place that is out of order. */
enum tm_status tm_sort_check(int in, struct tm_error *err);

#endif

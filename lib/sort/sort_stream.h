/* What tm-sort does with one stream, from descriptor to descriptor. */
#ifndef TM_SORT_SORT_STREAM_H
#define TM_SORT_SORT_STREAM_H

#include "sort/sorter.h"

/* Reads the stream IN and writes it in order to OUT. A stream whose header says that it is sorted
 * is passed on as it comes, and checked. TM_OK; TM_E_INPUT (then OUT holds nothing, or a stream
 * without its END); TM_E_SYSTEM. */
enum tm_status tm_sort_stream(int in, int out, const struct tm_sort_options *options, struct tm_error *err);

/* Reads the stream IN and says whether it is in order: TM_OK, or TM_E_INPUT with the place where
 * it is not. */
enum tm_status tm_sort_check(int in, struct tm_error *err);

#endif

/* The facts about a whole stream that its first frame states. */
#ifndef TM_STREAM_HEADER_H
#define TM_STREAM_HEADER_H

#include "stream/time_part.h"
#include "tm_stream.pb-c.h"

struct tm_stream_header {
    Tracemerge__Stage stage;
    bool sorted;
    struct tm_time_part part; /* of a sorted stream; {0}: the stream is whole */
};

#endif

/* The file and the machine of an event. */
#ifndef TM_MODEL_PLACE_H
#define TM_MODEL_PLACE_H

#include "stream/event.h"

struct tm_place {
    uint32_t file, machine;
};

static inline struct tm_place tm_place_of(const struct tm_event *event)
{
    return (struct tm_place){event->file, event->machine};
}

#endif

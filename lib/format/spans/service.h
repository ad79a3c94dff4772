/* Service instances as processes, and the tracks in them.
 *
 * process.pid is the process's pid where it can be that of other traces of the machine: the resource is of no
 * container, and of the first host that the file names. Any other instance has a number for its name
 * (format/text_pid.h). */
#ifndef TM_FORMAT_SPANS_SERVICE_H
#define TM_FORMAT_SPANS_SERVICE_H

#include "base/map.h"
#include "base/text.h"
#include "stream/event_sink.h"

/* A service instance. Zero: not known. */
struct tm_spans_service {
    uint64_t track; /* of the process; 0: not known */
    int64_t pid;
};

/* Zero-initialise. */
struct tm_spans_services {
    struct tm_event_sink *sink; /* borrowed */
    uint64_t on_other_hosts;    /* descriptions that tell another host than the first one that does */
    uint64_t services_shared;   /* descriptions beyond TM_SPANS_SERVICES_MAX */
    /* private */
    struct tm_buf name, space, instance, host, container; /* of the one being described */
    struct tm_buf first_host, stated_host;
    struct tm_buf labels, message, detail;
    uint32_t label_count;
    int64_t pid;
    bool has_host;
    uint32_t count;       /* instances */
    struct tm_map tracks; /* those that are defined */
};

/* Begins a description. Each attribute that follows is a key and a value as text. TM_OK or TM_E_SYSTEM. */
void tm_spans_service_begin(struct tm_spans_services *services);
enum tm_status tm_spans_service_attribute(struct tm_spans_services *services, struct tm_text key, struct tm_text value);

/* Ends the description: *SERVICE is the instance, which is defined in the stream if it is new. */
enum tm_status tm_spans_service_end(struct tm_spans_services *services, struct tm_spans_service *service,
                                    struct tm_error *err);

/* Sets *TRACK to the track of what is in the span OUTERMOST of SERVICE, which is defined if it is new. Beyond
 * TM_SPANS_TRACKS_MAX several share one of TM_SPANS_TRACKS_SHARED. */
enum tm_status tm_spans_service_track(struct tm_spans_services *services, const struct tm_spans_service *service,
                                      uint64_t outermost, uint64_t *track, struct tm_error *err);

void tm_spans_services_release(struct tm_spans_services *services);

#endif

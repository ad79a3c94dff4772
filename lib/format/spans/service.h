/* Service instances as processes, and their tracks.
 *
 * process.pid is the process's pid if it is valid in other traces of the machine: the resource is not in a container
 * and is on the first host that the file names. Any other instance has a number for its name (format/text_pid.h). */
#ifndef TM_FORMAT_SPANS_SERVICE_H
#define TM_FORMAT_SPANS_SERVICE_H

#include "base/map.h"
#include "base/text.h"
#include "stream/event_sink.h"

/* A service instance. Zero: unknown. */
struct tm_spans_service {
    uint64_t track; /* of the process; 0: unknown */
    int64_t pid;
};

/* Zero-initialise. */
struct tm_spans_services {
    struct tm_event_sink *sink; /* borrowed */
    uint64_t on_other_hosts;    /* descriptions that state another host than the first stated one */
    uint64_t services_shared;   /* descriptions beyond TM_SPANS_SERVICES_MAX */
    /* Private. These describe the current instance. */
    struct tm_buf name, space, instance, host, container;
    struct tm_buf first_host, stated_host;
    struct tm_buf labels, message, detail;
    uint32_t label_count;
    uint64_t labels_left_out; /* beyond the limits */
    int64_t pid;
    bool has_host;
    uint32_t count;       /* instances */
    struct tm_map tracks; /* defined tracks */
};

/* Begins a description. Each attribute that follows is a key and a value, both texts. TM_OK or TM_E_SYSTEM. */
void tm_spans_service_begin(struct tm_spans_services *services);
enum tm_status tm_spans_service_attribute(struct tm_spans_services *services, struct tm_text key, struct tm_text value);

/* Ends the description. Sets *SERVICE to the instance, and defines it in the stream if it is new. TM_OK or an error. */
enum tm_status tm_spans_service_end(struct tm_spans_services *services, struct tm_spans_service *service,
                                    struct tm_error *err);

/* Sets *TRACK to the track of the spans inside OUTERMOST, a span of SERVICE, and defines it if it is new. Further
 * tracks than TM_SPANS_TRACKS_MAX share TM_SPANS_TRACKS_SHARED of each service. TM_OK or an error. */
enum tm_status tm_spans_service_track(struct tm_spans_services *services, const struct tm_spans_service *service,
                                      uint64_t outermost, uint64_t *track, struct tm_error *err);

void tm_spans_services_release(struct tm_spans_services *services);

#endif

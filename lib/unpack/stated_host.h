/* The host that a file states: host.name of the resources of OpenTelemetry in OTLP, Jaeger and Zipkin JSON (`hostname'
 * in those of Jaeger's own clients). Source: resource conventions of OpenTelemetry, Jaeger's clients. */
#ifndef TM_UNPACK_STATED_HOST_H
#define TM_UNPACK_STATED_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TM_STATED_HOST_BYTES = 256 }; /* a name of the DNS has 253 */

/* Zero: the file states none. */
struct tm_stated_host {
    char name[TM_STATED_HOST_BYTES]; /* NUL-terminated; "": none */
    bool is_one_of_several;
};

/* Reads the LEN bytes of JSON at HEAD, which may be truncated. */
struct tm_stated_host tm_stated_host_find(const uint8_t *head, size_t len);

#endif

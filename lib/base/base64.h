/* Base64 (RFC 4648), the form of bytes in JSON. */
#ifndef TM_BASE_BASE64_H
#define TM_BASE_BASE64_H

#include "base/buf.h"

/* Appends LEN bytes at DATA as base64 with padding. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_base64_add(struct tm_buf *out, const uint8_t *data, size_t len);

#endif

/* Fingerprints of Android's builds: BRAND/PRODUCT/DEVICE:RELEASE/ID/INCREMENTAL:TYPE/TAGS. Source: Android's
 * Compatibility Definition Document, android.os.Build.FINGERPRINT. */
#ifndef TM_FORMAT_PERFETTO_FINGERPRINT_H
#define TM_FORMAT_PERFETTO_FINGERPRINT_H

#include "base/text.h"

/* The parts of a fingerprint, in its bytes. */
struct tm_fingerprint {
    struct tm_text release, incremental;
};

/* Returns the parts of TEXT; without data if TEXT has another form. */
struct tm_fingerprint tm_fingerprint_read(struct tm_text text);

/* Returns the version of the API that RELEASE has, or 0. Recorders of Android 13 and later state it themselves. */
uint32_t tm_fingerprint_sdk(struct tm_text release);

#endif

/* Keys of a manifest that mean nothing in this version, such as "machin". Readers ignore them (perfetto_manifest(5)).
 * They are found here so that the author can be warned. */
#ifndef TM_MANIFEST_UNKNOWN_KEYS_H
#define TM_MANIFEST_UNKNOWN_KEYS_H

#include "manifest/json_text.h"

/* Adds a problem to PROBLEMS for each unknown key of the manifest in JSON, with the known key that is most like it.
 * Keys that begin with "x_" belong to other programs, and keys of attributes to the user. */
void tm_unknown_keys_find(struct tm_json_text *json, struct tm_manifest_problems *problems);

#endif

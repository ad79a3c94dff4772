/* Merge keys of named tracks that have no parent. Readers draw such tracks of one name as one, and put their slices on
 * common lanes, though they are of different traces. So those of all protos but the first get a key, which stands for
 * the file and the name. All descriptors of a track must have the same key, so it follows from the first name that any
 * of them states. */
#ifndef TM_EMIT_PERFETTO_MERGE_KEYS_H
#define TM_EMIT_PERFETTO_MERGE_KEYS_H

#include "base/map.h"
#include "base/text.h"

/* Returns the key of tracks called NAME in the file with number ORDER in the order of processing. It is never 0. */
uint64_t tm_merge_key_of(uint32_t order, struct tm_text name);

/* Zero-initialise. */
struct tm_merge_keys {
    struct tm_map tracks; /* private: uuid of the output to a hash of file and name, which parts of a trace share */
};

/* Notes that a descriptor of track UUID states NAME, in the file with number ORDER. Later names of a track change
 * nothing. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_merge_keys_note(struct tm_merge_keys *keys, uint64_t uuid, uint32_t order, struct tm_text name);

/* Returns the key of track UUID, never 0; 0: none was noted. */
uint64_t tm_merge_keys_find(const struct tm_merge_keys *keys, uint64_t uuid);

void tm_merge_keys_release(struct tm_merge_keys *keys);

#endif

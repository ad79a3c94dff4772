/* A trace that is a folder in an archive: CTF, which a library reads by the path of the folder. The member with the
 * metadata has the trace's events; the streams beside it are read with it. */
#ifndef TM_UNPACK_TRACE_FOLDER_H
#define TM_UNPACK_TRACE_FOLDER_H

#include "os/temporary_folder.h"
#include "unpack/archive.h"

/* True if MEMBER of TABLE, which is sorted, is the metadata of such a trace; or a stream, or its index, whose metadata
 * the table has. */
bool tm_trace_folder_is_metadata(const struct tm_member_table *table, const struct tm_member *member);
bool tm_trace_folder_is_part(const struct tm_member_table *table, const struct tm_member *member);

/* Finds the folders of TABLE, which is sorted, with streams that are recognized by their first bytes. */
void tm_trace_folder_find(struct tm_member_table *table);

/* True if MEMBER of TABLE, of unknown type, is in such a folder; call it after tm_trace_folder_find. The format does
 * not define how a stream begins, and old indices begin differently. In a folder with recognized streams only an empty
 * member counts, since the rest may be anything. */
bool tm_trace_folder_has(const struct tm_member_table *table, const struct tm_member *member);

/* Copies METADATA, a member of ARCHIVE, and the streams beside it to FOLDER, a temporary one that the caller closes.
 * Damaged streams are left out if the run goes on after damage, which is noted. TM_OK or an error. */
enum tm_status tm_trace_folder_copy(struct tm_unpack_run *run, struct tm_archive *archive,
                                    const struct tm_member *metadata, struct tm_temporary_folder *folder);

#endif

/* The files of a TAR by name, for hard links: a hard link has no data but the name of an earlier file with the data
 * (POSIX.1-2008, pax, "ustar Interchange Format", typeflag 1). */
#ifndef TM_UNPACK_TAR_FILES_H
#define TM_UNPACK_TAR_FILES_H

#include "base/intern.h"

#define TM_TAR_FILE_HIDDEN UINT32_MAX

struct tm_tar_file {
    uint64_t at, size_bytes, missing_bytes; /* as in struct tm_tar_entry */
    uint32_t member;                        /* its number in the member table; TM_TAR_FILE_HIDDEN: none */
};

/* Zero-initialise. */
struct tm_tar_files {
    /* private */
    struct tm_intern names;
    struct tm_buf files;
};

/* Adds FILE. A later file with the same name replaces it, as when a TAR is extracted. Files beyond TM_FILES_MAX or
 * TM_NAMES_BYTES_MAX are not kept. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_tar_files_add(struct tm_tar_files *files, const char *name, const struct tm_tar_file *file,
                                struct tm_error *err);

/* Sets *FILE to the file NAME. TM_OK; TM_END: there is none; TM_E_SYSTEM. */
enum tm_status tm_tar_files_find(struct tm_tar_files *files, const char *name, struct tm_tar_file *file,
                                 struct tm_error *err);

void tm_tar_files_release(struct tm_tar_files *files);

#endif

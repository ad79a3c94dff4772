/* Resolves the names of files and machines in a manifest, and the references between them. */
#ifndef TM_MANIFEST_RESOLVE_H
#define TM_MANIFEST_RESOLVE_H

#include "base/intern.h"
#include "manifest/fields.h"

/* The resolved `clocks` of one entry. */
struct tm_manifest_relation {
    bool good;              /* resolved; the rest is set */
    bool own_clock;         /* source and reference are the same clock of one machine */
    int64_t source_raw;     /* machine of the source clock */
    int64_t reference_raw;  /* machine of the reference clock */
    size_t reference_file;  /* index into files */
};

/* Zero-initialise. */
struct tm_manifest_resolution {
    struct tm_intern machines;               /* names in the order of first mention: raw id 2^32 + number */
    int64_t *base_raw;                       /* one for each file: its base machine; 0: the host */
    struct tm_manifest_relation *relations;  /* one for each file */
    int64_t trace_time_raw;
    /* private */
    const struct tm_manifest_fields *fields;
    struct tm_manifest_problems *problems;
    struct tm_intern paths;
    size_t *file_of_path;
    struct tm_intern declared; /* (file, machine name) and (file, embedded id) pairs */
    struct tm_buf key;
    bool no_memory;
};

/* Returns the raw id of the machine with NAME in the manifest. */
int64_t tm_manifest_machine_raw(const struct tm_manifest_resolution *r, const char *name);

/* Resolves FIELDS, which must outlive R. TM_OK, even if problems were added to PROBLEMS; or TM_E_SYSTEM. */
enum tm_status tm_manifest_resolve(struct tm_manifest_resolution *r, const struct tm_manifest_fields *fields,
                                   struct tm_manifest_problems *problems);

void tm_manifest_resolution_release(struct tm_manifest_resolution *r);

#endif

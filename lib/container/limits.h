/* Limits on what containers may hold. They bound the memory that any input can use. doc/containers.md documents them.
 */
#ifndef TM_CONTAINER_LIMITS_H
#define TM_CONTAINER_LIMITS_H

enum {
    TM_FILES_MAX = 1 << 20,           /* files of a run: members, documents, containers */
    TM_NAME_BYTES_MAX = 64 << 10,     /* one name */
    TM_NAMES_BYTES_MAX = 256 << 20,   /* all names of one archive */
    TM_DEPTH_MAX = 8,                 /* containers inside containers (doc/rules.md section 2) */
    TM_MANIFEST_BYTES_MAX = 64 << 20, /* the manifest's text */
    TM_PAX_BYTES_MAX = 1 << 20        /* one PAX extended header */
};

#endif

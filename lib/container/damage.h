/* What to do about damage (--on-damage), and damage that a container's reader found and skipped. */
#ifndef TM_CONTAINER_DAMAGE_H
#define TM_CONTAINER_DAMAGE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* What to do about damage (tm-unpack --on-damage). */
enum tm_on_damage { TM_DAMAGE_HALT, TM_DAMAGE_SKIP, TM_DAMAGE_SALVAGE };

/* Sets *WHAT to what WORD, "halt", "skip" or "salvage", is. False: it is none of them. */
static inline bool tm_on_damage_parse(const char *word, enum tm_on_damage *what)
{
    static const char *const words[] = {"halt", "skip", "salvage"};
    for (int i = 0; i < 3; i++)
        if (strcmp(word, words[i]) == 0) {
            *what = (enum tm_on_damage)i;
            return true;
        }
    return false;
}

/* Zero-initialise. */
struct tm_damage {
    uint64_t count;         /* places of damage */
    uint64_t byte;          /* offset of the first, in the bytes that were read */
    uint64_t skipped_bytes; /* bytes skipped */
    struct tm_error cause;  /* the error of the first */
};

/* Adds damage at BYTE. WHY is the error for it; it is cleared. */
static inline void tm_damage_add(struct tm_damage *damage, uint64_t byte, struct tm_error *why)
{
    if (damage->count++ == 0) {
        damage->byte = byte;
        damage->cause = *why;
    }
    *why = (struct tm_error){0};
}

/* Adds the damage in MORE. */
static inline void tm_damage_merge(struct tm_damage *damage, const struct tm_damage *more)
{
    if (damage->count == 0) {
        *damage = *more;
        return;
    }
    damage->count += more->count;
    damage->skipped_bytes += more->skipped_bytes;
}

#endif

/* Names that replace other names or hashes, by the translation tables of a trace: of slices, of tracks of processes,
 * and of values of args. The tables of a file hold for all of its events of that machine, wherever they stand in it.
 * Memory grows with the number of names, up to a limit. Source: importers/common/slice_translation_table.h and
 * args_translation_table.cc of Perfetto. */
#ifndef TM_MODEL_TRANSLATIONS_H
#define TM_MODEL_TRANSLATIONS_H

#include "base/intern.h"
#include "base/table.h"
#include "model/descriptors.h"

/* A timeline that states more is refused: TM_E_INPUT. */
enum { TM_TRANSLATIONS_MAX = 1 << 20, TM_TRANSLATION_BYTES_MAX = 1 << 28 };

/* Zero-initialise; init before use. */
struct tm_translations {
    bool has_slices, has_tracks, has_hashes; /* some file states such names */
    /* private */
    struct tm_table names; /* (place, kind, hash) to the number of a text. The hash of a name is keyed */
    uint64_t secret;
    struct tm_intern texts;
};

void tm_translations_init(struct tm_translations *translations);
void tm_translations_release(struct tm_translations *translations);

/* Takes in MESSAGE, a TranslationTable of the file and machine PLACE. TM_OK, TM_E_INPUT beyond a limit, TM_E_SYSTEM. */
enum tm_status tm_translations_add(struct tm_translations *translations, struct tm_place place, const uint8_t *message,
                                   size_t len, struct tm_error *err);

/* Return the name that replaces NAME, that of a slice or of a process's track in PLACE. NAME if there is none. */
struct tm_text tm_translations_slice(const struct tm_translations *translations, struct tm_place place,
                                     struct tm_text name);
struct tm_text tm_translations_track(const struct tm_translations *translations, struct tm_place place,
                                     struct tm_text name);

/* Appends DETAIL, a Detail message, to OUT. Each arg with a known hash is followed by one with its name. *IS_CHANGED:
 * there is such an arg. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_translations_args(const struct tm_translations *translations, struct tm_place place,
                                    struct tm_text detail, struct tm_buf *out, bool *is_changed);

#endif

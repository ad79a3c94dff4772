/* The corpus of the fuzzer: t/fuzz/corpus/TARGET.tar has the inputs of a target as members, in order of their names
 * (t/fuzz/run -m writes it). */
#ifndef TM_T_FUZZ_CORPUS_H
#define TM_T_FUZZ_CORPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise. */
struct corpus {
    uint8_t *bytes; /* of the archive */
    size_t len, at;
};

/* An input, valid until close. Its name is NUL-terminated. */
struct corpus_input {
    const char *name;
    const uint8_t *data;
    size_t len;
};

/* Reads the corpus of TARGET below $TM_SRC, or of the current folder. False if it cannot be read. */
bool corpus_open(struct corpus *corpus, const char *target);

/* Gets the next input. False at the end. */
bool corpus_next(struct corpus *corpus, struct corpus_input *input);

/* True if all members were read and each was complete. */
bool corpus_is_whole(const struct corpus *corpus);

void corpus_close(struct corpus *corpus);

#endif

#include "corpus.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 512, NAME_BYTES = 100, SIZE_AT = 124, SIZE_BYTES = 12, TYPE_AT = 156 };

bool corpus_open(struct corpus *corpus, const char *target)
{
    const char *source = getenv("TM_SRC");
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/t/fuzz/corpus/%s.tar", source ? source : ".", target);
    FILE *file = fopen(path, "rb");
    long len = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    *corpus = (struct corpus){.bytes = len > 0 ? malloc((size_t)len) : NULL};
    if (corpus->bytes && fseek(file, 0, SEEK_SET) == 0)
        corpus->len = fread(corpus->bytes, 1, (size_t)len, file);
    if (corpus->len == 0)
        printf("# %s: cannot read\n", path);
    if (file)
        fclose(file);
    return corpus->len > 0;
}

bool corpus_next(struct corpus *corpus, struct corpus_input *input)
{
    const uint8_t *head = corpus->bytes + corpus->at;
    char size[SIZE_BYTES + 1] = {0};
    if (corpus->len - corpus->at < BLOCK || head[0] == 0 || head[TYPE_AT] != '0' || head[NAME_BYTES - 1])
        return false;
    memcpy(size, head + SIZE_AT, SIZE_BYTES);
    size_t len = strtoul(size, NULL, 8);
    if (len > corpus->len - corpus->at - BLOCK)
        return false;
    *input = (struct corpus_input){(const char *)head, head + BLOCK, len};
    corpus->at += BLOCK + (len + BLOCK - 1) / BLOCK * BLOCK;
    return true;
}

bool corpus_is_whole(const struct corpus *corpus)
{
    return corpus->len - corpus->at >= BLOCK && corpus->bytes[corpus->at] == 0;
}

void corpus_close(struct corpus *corpus)
{
    free(corpus->bytes);
    *corpus = (struct corpus){0};
}

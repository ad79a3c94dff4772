#include "sort/arena.h"

#include "os/compat.h"

#include <stdlib.h>

enum { ARENA_ALIGN = 16, ARENA_PIECE_MIN = 64 << 10, ARENA_PIECE_MAX = 64 << 20, ARENA_PIECES = 4,
       ARENA_LARGE_PAGES = 8 << 20 /* pieces from here on gain from large pages */ };

struct tm_arena_piece {
    struct tm_arena_piece *next;
    size_t used, cap; /* bytes after this header */
};

static size_t aligned(size_t len)
{
    return (len + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
}

static size_t head_bytes(void)
{
    return aligned(sizeof(struct tm_arena_piece));
}

/* Puts a new or an idle piece with room for LEN bytes at the front of the list. */
static enum tm_status add_piece(struct tm_arena *a, size_t len, bool *full)
{
    struct tm_arena_piece *piece = a->idle;
    if (piece && piece->cap >= len) {
        a->idle = piece->next;
    } else {
        size_t want = a->limit_bytes / ARENA_PIECES;
        want = want < ARENA_PIECE_MIN ? ARENA_PIECE_MIN : want > ARENA_PIECE_MAX ? ARENA_PIECE_MAX : want;
        size_t left = a->limit_bytes > a->bytes ? a->limit_bytes - a->bytes : 0;
        want = want < left ? want : left;
        want = want < len ? len : want;
        if (len > left) {
            *full = true;
            return TM_END;
        }
        piece = malloc(head_bytes() + want);
        if (piece == NULL)
            return TM_E_SYSTEM;
        if (want >= ARENA_LARGE_PAGES)
            tm_compat_large_pages(piece, head_bytes() + want);
        piece->cap = want;
        a->bytes += want;
    }
    piece->used = 0;
    piece->next = a->pieces;
    a->pieces = piece;
    return TM_OK;
}

void *tm_arena_take(struct tm_arena *a, size_t len, bool *full)
{
    *full = false;
    if (len > SIZE_MAX / 2)
        return NULL;
    len = aligned(len);
    if ((a->pieces == NULL || a->pieces->cap - a->pieces->used < len) && add_piece(a, len, full) != TM_OK)
        return NULL;
    uint8_t *p = (uint8_t *)a->pieces + head_bytes() + a->pieces->used;
    a->pieces->used += len;
    return p;
}

void tm_arena_clear(struct tm_arena *a)
{
    while (a->pieces) {
        struct tm_arena_piece *piece = a->pieces;
        a->pieces = piece->next;
        piece->next = a->idle;
        a->idle = piece;
    }
}

static void free_all(struct tm_arena_piece *piece)
{
    while (piece) {
        struct tm_arena_piece *next = piece->next;
        free(piece);
        piece = next;
    }
}

void tm_arena_release(struct tm_arena *a)
{
    free_all(a->pieces);
    free_all(a->idle);
    *a = (struct tm_arena){.limit_bytes = a->limit_bytes};
}

#include "kernel/sched_state.h"

#include "kernel/windows_states.h"

#include <string.h>

enum { LOW_MASK = 0x3f }; /* S to Z have the same bits in all kernels and in the flags */

static const char letters[] = "SDTtXZPxKWNI"; /* letter i is flag 1 << i */

/* The meaning of the bits above LOW_MASK, from a kernel version on. */
struct layout {
    uint32_t since;
    struct {
        uint32_t mask;
        uint32_t flag;
    } bits[7];
};

static const struct layout layouts[] = {
    {TM_KERNEL_VERSION(4, 14),
     {{0x40, TM_SCHED_STATE_PARKED}, {0x80, TM_SCHED_STATE_IDLE}, {0x100, TM_SCHED_STATE_PREEMPTED}}},
    {TM_KERNEL_VERSION(4, 8),
     {{0x40, TM_SCHED_STATE_DEAD},
      {0x80, TM_SCHED_STATE_WAKEKILL},
      {0x100, TM_SCHED_STATE_WAKING},
      {0x200, TM_SCHED_STATE_PARKED},
      {0x400, TM_SCHED_STATE_NOLOAD},
      {0x1000, TM_SCHED_STATE_PREEMPTED}}},
    {0,
     {{0x40, TM_SCHED_STATE_DEAD},
      {0x80, TM_SCHED_STATE_WAKEKILL},
      {0x100, TM_SCHED_STATE_WAKING},
      {0x200, TM_SCHED_STATE_PARKED},
      {0x400, TM_SCHED_STATE_NOLOAD},
      {0x800, TM_SCHED_STATE_PREEMPTED}}},
};

static const struct layout *layout_of(uint32_t version)
{
    const struct layout *l = layouts;
    while (version < l->since)
        l++;
    return l;
}

uint32_t tm_kernel_version_parse(const char *release, size_t len)
{
    uint32_t part[2] = {0, 0};
    size_t i = 0;
    for (int n = 0; n < 2; n++) {
        size_t start = i;
        for (; i < len && release[i] >= '0' && release[i] <= '9' && part[n] < 1000; i++)
            part[n] = part[n] * 10 + (uint32_t)(release[i] - '0');
        if (i == start || (n == 0 && (i == len || release[i++] != '.')))
            return 0;
    }
    return TM_KERNEL_VERSION(part[0], part[1]);
}

static uint32_t letter_flag(char c)
{
    for (unsigned i = 0; letters[i]; i++)
        if (letters[i] == c)
            return UINT32_C(1) << i;
    return TM_SCHED_STATE_UNKNOWN;
}

uint32_t tm_sched_state_parse(const char *text, size_t len)
{
    uint32_t state = 0;
    if (len == 0)
        return TM_SCHED_STATE_FLAGS | TM_SCHED_STATE_UNKNOWN;
    if (text[0] == 'R')
        return TM_SCHED_STATE_FLAGS | (len == 2 && text[1] == '+' ? (uint32_t)TM_SCHED_STATE_PREEMPTED : 0);
    for (size_t i = 0; i < len; i++)
        if (text[i] != '|')
            state |= letter_flag(text[i]);
    if (state & TM_SCHED_STATE_UNKNOWN)
        state = TM_SCHED_STATE_UNKNOWN;
    return TM_SCHED_STATE_FLAGS | state;
}

/* Converts STATE, a mask of kernel VERSION or flags, to flags. */
static uint32_t decode(uint32_t state, uint32_t version)
{
    if (state & TM_SCHED_STATE_FLAGS)
        return state;
    const struct layout *l = layout_of(version);
    uint32_t flags = state & LOW_MASK;
    uint32_t known = LOW_MASK;
    for (unsigned i = 0; l->bits[i].mask; i++) {
        known |= l->bits[i].mask;
        if (state & l->bits[i].mask)
            flags |= l->bits[i].flag;
    }
    /* Kernels from 4.14 on have no further bits. Older ones may set bits that are ignored. */
    if (version >= TM_KERNEL_VERSION(4, 14) && (state & ~known & 0xffff))
        flags = TM_SCHED_STATE_UNKNOWN;
    if (flags == (TM_SCHED_STATE_UNINTERRUPTIBLE | TM_SCHED_STATE_NOLOAD))
        flags = TM_SCHED_STATE_IDLE;
    return TM_SCHED_STATE_FLAGS | flags;
}

uint32_t tm_sched_state_encode(uint32_t state, uint32_t version)
{
    if (!(state & TM_SCHED_STATE_FLAGS))
        return state;
    const struct layout *l = layout_of(version);
    uint32_t mask = state & LOW_MASK;
    uint32_t left = state & ~(uint32_t)LOW_MASK;
    if (left & TM_SCHED_STATE_IDLE && version < TM_KERNEL_VERSION(4, 14)) {
        mask |= TM_SCHED_STATE_UNINTERRUPTIBLE;
        left |= TM_SCHED_STATE_NOLOAD;
    }
    for (unsigned i = 0; l->bits[i].mask; i++)
        if (left & l->bits[i].flag)
            mask |= l->bits[i].mask;
    return mask;
}

size_t tm_sched_state_text(uint32_t state, uint32_t version, char separator, char *out)
{
    uint32_t flags = decode(state, version) & ~TM_SCHED_STATE_FLAGS;
    size_t n = 0;
    const char *word = flags & TM_SCHED_STATE_WINDOWS ? tm_windows_state_name(flags & UINT8_MAX) : NULL;
    if (word) {
        n = strlen(word);
        memcpy(out, word, n);
    } else if (flags & (TM_SCHED_STATE_UNKNOWN | TM_SCHED_STATE_WINDOWS)) {
        out[n++] = '?';
    } else if ((flags & ~(uint32_t)TM_SCHED_STATE_PREEMPTED) == 0) {
        out[n++] = 'R';
        if (flags)
            out[n++] = '+';
    } else {
        for (unsigned i = 0; letters[i]; i++) {
            if (!(flags >> i & 1))
                continue;
            if (n && separator)
                out[n++] = separator;
            out[n++] = letters[i];
        }
    }
    out[n] = '\0';
    return n;
}

struct tm_text tm_sched_state_known_text(struct tm_sched_state_texts *texts, uint32_t state, uint32_t version)
{
    struct tm_sched_state_known *known = &texts->known[(state ^ state >> 8) & (TM_SCHED_STATES_KNOWN - 1)];
    if (known->len == 0 || known->state != state || known->version != version) {
        known->state = state;
        known->version = version;
        known->len = (uint8_t)tm_sched_state_text(state, version, 0, known->text);
    }
    return tm_text_at(known->text, known->len);
}

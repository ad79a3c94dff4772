/* The kinds of process memory that the kernel's rss_stat counts, by the number in its field member. Counters have the
 * names of the reference importer. */
#ifndef TM_KERNEL_RSS_MEMBERS_H
#define TM_KERNEL_RSS_MEMBERS_H

enum { TM_RSS_MEMBERS = 5 };

/* Address spaces whose tasks are remembered, since one task may report the memory of another. */
enum { TM_ADDRESS_SPACES_MAX = 1 << 17 };

/* Returns the counter's name. MEMBER is below TM_RSS_MEMBERS. */
static inline const char *tm_rss_member_name(unsigned member)
{
    static const char *const names[TM_RSS_MEMBERS] = {"mem.rss.file", "mem.rss.anon", "mem.swap", "mem.rss.shmem",
                                                      "mem.unreclaimable"};
    return names[member];
}

#endif

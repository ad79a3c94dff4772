/* What an event says that may match something in another file. */
#ifndef TM_ALIGN_RECORD_H
#define TM_ALIGN_RECORD_H

#include <stdint.h>

/* What a record is in its match. */
enum tm_role {
    TM_ROLE_CAUSE,  /* a flow begins; a span that others are called from */
    TM_ROLE_STEP,   /* a flow passes */
    TM_ROLE_EFFECT, /* a flow ends; a span that was called */
    TM_ROLE_EQUAL,  /* one of several of the same rank */
    TM_ROLE_COPY    /* a mark of a program that a system trace may have too; nothing where none has */
};

struct tm_record {
    uint64_t key;    /* what matches has the same; of an unnumbered record its group */
    uint64_t symbol; /* of an unnumbered record: what it is, so that two that differ are not the same one */
    int64_t begin_ns, end_ns;
    uint32_t node;      /* the file's number among those with events */
    uint32_t name;      /* a string of the catalog; 0: none */
    uint8_t rule;       /* number in the table of rules */
    uint8_t role;       /* enum tm_role */
    uint8_t grade;      /* of several accounts of one thing a file's highest is used */
    uint8_t form;       /* enum tm_match_form */
    uint32_t operation; /* bits of enum tm_operation */
};

/* What tells whether a kernel that only sends and receives is an all-to-all: what the CPU calls it. */
enum tm_operation {
    TM_OPERATION_ALL_TO_ALL = 1,
    TM_OPERATION_PAIR = 2,     /* a send or a receive of two ranks */
    TM_OPERATION_SEND_RECV = 4 /* a kernel that is either; used where the file has the first and not the second */
};

/* What a match says of its members' times. */
enum tm_match_form {
    TM_MATCH_FLOW,       /* the first begins before each other one begins */
    TM_MATCH_CALL,       /* the first holds each other one */
    TM_MATCH_LONGER,     /* the longest holds each other one */
    TM_MATCH_SEND,       /* the first begins before each other one ends */
    TM_MATCH_COLLECTIVE, /* each begins before any ends */
    TM_MATCH_NOTHING,    /* told for its operation alone */
    TM_MATCH_SAME        /* all are at one time, but for how late each was recorded */
};

#endif

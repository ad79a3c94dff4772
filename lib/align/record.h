/* The facts of an event that may match events of other files. */
#ifndef TM_ALIGN_RECORD_H
#define TM_ALIGN_RECORD_H

#include <stdint.h>

/* The role of a record in its match. */
enum tm_role {
    TM_ROLE_CAUSE,  /* a flow begins; a span calls others */
    TM_ROLE_STEP,   /* a flow passes */
    TM_ROLE_EFFECT, /* a flow ends; a span was called */
    TM_ROLE_EQUAL,  /* one of several of equal rank */
    TM_ROLE_MARK    /* a mark of a program that a system trace may have too; unused if none has it */
};

struct tm_record {
    uint64_t key;    /* equal for records that match; of an unnumbered record its group */
    uint64_t symbol; /* of an unnumbered record: what it is; records with different symbols never match */
    int64_t begin_ns, end_ns;
    uint32_t node;      /* the file's node */
    uint32_t name;      /* a string of the catalog; 0: none */
    uint8_t rule;       /* number in the table of rules */
    uint8_t role;       /* enum tm_role */
    uint8_t grade;      /* if a file records one thing in several ways, the highest grade is used */
    uint8_t form;       /* enum tm_match_form */
    uint32_t operation; /* bits of enum tm_operation */
};

/* Bits that determine whether a kernel that only sends and receives is an all-to-all. They follow from the names of
 * operations on the CPU. */
enum tm_operation {
    TM_OPERATION_ALL_TO_ALL = 1,
    TM_OPERATION_PAIR = 2,     /* a send or a receive of two ranks */
    /* a kernel that may be either; it is used if the file has the first and not the second */
    TM_OPERATION_SEND_RECV = 4
};

/* What a match states about its members' times. */
enum tm_match_form {
    TM_MATCH_FLOW,       /* the first begins before each other member begins */
    TM_MATCH_CALL,       /* the first contains each other member */
    TM_MATCH_LONGER,     /* the longest contains each other member */
    TM_MATCH_SEND,       /* the first begins before each other member ends */
    TM_MATCH_COLLECTIVE, /* each begins before any ends */
    TM_MATCH_NOTHING,    /* nothing; only its operation is used */
    TM_MATCH_SAME        /* all are at one time, except for delays of recording */
};

#endif

#include "os/program_options.h"

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool is_known(const struct option *longs, int letter)
{
    for (; longs->name; longs++)
        if (longs->val == letter)
            return true;
    return false;
}

/* Sets NAMES to the options that the first LEN bytes of NAME begin. Returns how many there are. */
static unsigned list_begun(const struct option *longs, const char *name, size_t len, char *names, size_t size)
{
    unsigned count = 0;
    size_t used = 0;
    for (; longs->name; longs++) {
        if (strncmp(longs->name, name, len) != 0)
            continue;
        int added = snprintf(names + used, size - used, "%s--%s", count++ ? ", " : "", longs->name);
        used = (size_t)added < size - used ? used + (size_t)added : size - 1;
    }
    return count;
}

/* Reports an option that getopt answered with '?'. WORD is the word it was in. */
static int refuse(const struct tm_program *program, const struct option *longs, const char *word)
{
    if (optopt != 0 && word[0] == '-' && word[1] == '-' && is_known(longs, optopt))
        return tm_program_usage(program, "'%s': the option takes no argument", word);
    char names[256];
    if (optopt == 0 && strncmp(word, "--", 2) == 0 &&
        list_begun(longs, word + 2, strcspn(word + 2, "="), names, sizeof names) > 1)
        return tm_program_usage(program, "'%s' may be short for %s", word, names);
    const char *hint = access(word, F_OK) == 0 ? "; a file of that name is given after -- or as ./" : "";
    if (optopt != 0)
        return tm_program_usage(program, "unknown option '-%c'%s%s", optopt, hint, *hint ? word : "");
    return tm_program_usage(program, "unknown option '%s'%s%s", word, hint, *hint ? word : "");
}

/* Returns the word that getopt refused. After a letter in the middle of a word, optind does not point past that word
 * yet. */
static const char *refused_word(char **argv)
{
    const char *word = argv[optind - 1];
    bool is_it = word[0] == '-' && (optopt == 0 || word[1] == '-' || strchr(word, optopt));
    return is_it || argv[optind] == NULL ? word : argv[optind];
}

/* True if VALUE is a separate word that looks like an option. The real value was probably forgotten. */
static bool looks_like_option(const char *value, const char *word)
{
    return value == word && value[0] == '-' &&
           (value[1] == '-' || (value[1] >= 'a' && value[1] <= 'z') || (value[1] >= 'A' && value[1] <= 'Z'));
}

static int answer(const struct tm_program *program, void (*show)(const struct tm_program *))
{
    struct tm_error err = {0};
    show(program);
    return tm_program_finish(program, TM_OK, &err);
}

/* Opens standard descriptors that are missing, so pipes and files do not get their numbers, and no message gets into a
 * file. They are open for reading only, so writing to them fails. */
static void fill_standard_descriptors(void)
{
    int fd;
    while ((fd = open("/dev/null", O_RDONLY)) >= 0 && fd <= STDERR_FILENO)
        ;
    if (fd > STDERR_FILENO)
        (void)close(fd);
}

int tm_program_options(const struct tm_program *program, const struct tm_program_options *options, int argc,
                       char **argv)
{
    char letters[64];
    int letter, status;
    int n = snprintf(letters, sizeof letters, "%s%s", options->letters, strchr(options->letters, 'h') ? "" : "h");
    if (n < 0 || (size_t)n >= sizeof letters)
        return tm_program_usage(program, "too many options");
    fill_standard_descriptors();
    (void)signal(SIGXFSZ,
                 SIG_IGN); /* a file that must not grow then makes write fail, and the program can clean up */
    opterr = 0;
    while ((letter = getopt_long(argc, argv, letters, options->longs, NULL)) != -1) {
        if (letter == ':')
            return tm_program_usage(program, "option '%s' needs an argument", argv[optind - 1]);
        if (letter == '?')
            return refuse(program, options->longs, refused_word(argv));
        if (letter == TM_OPTION_HELP)
            return answer(program, tm_program_help);
        if (letter == TM_OPTION_VERSION)
            return answer(program, tm_program_version);
        if (optarg && looks_like_option(optarg, argv[optind - 1]))
            return tm_program_usage(program, "option '%s' needs an argument, and '%s' looks like an option; a file of "
                                             "that name is ./%s", argv[optind - 2], optarg, optarg);
        if ((status = options->take(options->context, letter, optarg)) != 0)
            return status;
    }
    return TM_OPTIONS_GO_ON;
}

int tm_program_options_only(const struct tm_program *program, const struct tm_program_options *options, int argc,
                            char **argv)
{
    int status = tm_program_options(program, options, argc, argv);
    if (status == TM_OPTIONS_GO_ON && optind < argc)
        return tm_program_usage(program, "'%s': a stream is read from standard input only; tm-unpack makes one "
                                         "of traces, and tm-merge runs all stages", argv[optind]);
    return status;
}

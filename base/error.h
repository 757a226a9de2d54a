/*
 * Everything that can be wrong with what is read: one enum, made of
 * errors.def, and a list that collects what was met.  Filled by all modules of
 * the decoder, printed by main alone.  A list keeps the first few errors in
 * full and counts the rest, so hostile input cannot make it grow.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ERROR_KEPT_MAX 32

enum error_code {
	ERROR_NONE = 0,
#define ERROR(name, number, severity, what, why, unit, advice)                 \
	ERROR_##name = number,
#include "base/errors.def"
#undef ERROR
};

enum error_severity {
	ERROR_SEVERITY_NOTE,   /* all was read */
	ERROR_SEVERITY_DOUBT,  /* likewise, but there may have been more */
	ERROR_SEVERITY_DAMAGE, /* something is missing, the rest was read */
	ERROR_SEVERITY_FATAL,  /* this path gave nothing */
	ERROR_SEVERITIES
};

struct error {
	enum error_code code;
	int system;	  /* errno where the system has the reason, or 0 */
	const char *file; /* borrowed; must outlive the list */
	uint64_t offset;  /* in the file */
	uint64_t number;  /* counted in the unit of errors.def */
	/* Of messages that are missing; 0: not known. */
	uint64_t first; /* one more than the number in the log of the first */
	uint64_t last;	/* and of the last */
	uint64_t since; /* not before that, nanoseconds since 1970, */
	uint64_t until; /* and not after that */
	size_t others;	/* of its cause that the list had no room for */
};

/* All zeros is an empty list. */
struct error_list {
	struct error kept[ERROR_KEPT_MAX];
	size_t count; /* of all that were added, kept or not */
	size_t more;  /* that an ERROR_MORE stands for: it is not kept */
	size_t severe[ERROR_SEVERITIES];
	size_t incomplete; /* texts that lack a format or a string */
	uint64_t skipped;  /* bytes of files that were skipped as damaged */
};

/* Whether there is a sentence for it. */
bool error_is_known(enum error_code code);

/* Adds a copy of *error. */
void error_add(struct error_list *list, const struct error *error);

/* How many of this severity or worse were added. */
size_t error_count(const struct error_list *list, enum error_severity severity);

/* Whether both are of files that gave nothing, for the same reason. */
bool error_is_same_cause(const struct error *one, const struct error *other);

/*
 * The sentence `file:offset: what: why: what you can do` into buffer, without
 * newline, cut off when it does not fit; of a file that gave nothing without
 * the offset, unless that tells something.  The file's name is as it is: to be
 * said by sentence.h, or escaped.
 */
void error_sentence(const struct error *error, char *buffer, size_t size);

/* Likewise of a file and `others` with the same cause: `file and 3 others:`. */
void error_sentence_of_several(
	const struct error *error, size_t others, char *buffer, size_t size);

#endif

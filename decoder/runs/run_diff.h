/*
 * Two runs, read and compared: which places said how much in each, and where
 * the threads of the second first said something else than those of the
 * first.  Filled and written down by show_diff.c.
 */
#ifndef DECODER_RUN_DIFF_H
#define DECODER_RUN_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id_map.h"
#include "base/pool.h"
#include "decoder/capture/message.h"
#include "decoder/names/locations.h"
#include "decoder/output/options.h"

/* Values of an argument in one run. */
struct run_range {
	uint64_t count;
	double least;
	double most;
	double mean;
	double squares; /* of what they differ from the mean, added up */
};

struct run_argument {
	const char *name;
	struct run_range runs[2];
};

/* A function that calls. */
struct run_caller {
	struct run_caller *next;
	const char *function; /* null: not known */
	const char *file;     /* likewise */
	unsigned line;	      /* of the latest run in which there is one */
	uint64_t calls[2];
};

struct run_site {
	struct run_site *collides;
	uint32_t number;    /* from 0 */
	const char *format; /* null: there is none */
	size_t format_bytes;
	const char *function; /* of libc; "?" if not known */
	const char *module;   /* "?" if not known */
	uint64_t calls[2];
	struct run_caller *callers;
	size_t caller_count;
	size_t argument_count;
	struct run_argument arguments[];
};

struct run_sites {
	struct locations
		*locations; /* null: functions that call are not asked */
	struct id_map map;
	struct pool pool;
	struct run_site **all; /* by their numbers */
	size_t count;
	size_t room;
	struct run_site *rest; /* null: none yet */
	struct render_buffer scratch;
	bool failed; /* out of memory */
};

/* What a context says, once it is known: see struct definition_context. */
struct run_context {
	struct run_site *site;
	struct run_caller *caller;
};

/* Whether all callers of the site have names in both runs. */
bool run_sites_knows_callers(const struct run_site *site);

struct run_role {
	struct run_role *collides;
	struct run_role *next; /* in the order in which they were met */
	const char *program;
	uint32_t process; /* from 1 */
	const char *thread;
	uint32_t number;    /* from 1 */
	uint32_t *sites;    /* numbers of the first run's; owned */
	size_t room;	    /* of them */
	uint64_t counts[2]; /* messages */
	bool cut;	    /* not all sites of the first run are kept */
	bool differs;
	uint64_t at;	/* messages before the one that is another */
	uint64_t order; /* of all messages of the second run, likewise */
};

struct run_roles {
	struct id_map roles;   /* by what they are */
	struct id_map threads; /* by program and number, of this run */
	struct id_map processes;
	struct id_map counters;
	struct pool pool;     /* of the roles */
	struct pool run_pool; /* of the others */
	struct run_role *first;
	struct run_role *last;
	size_t count;
	size_t kept;	 /* sites, of all */
	uint64_t order;	 /* messages of this run so far */
	uint64_t missed; /* of both runs, which are not compared */
	int run;
	bool failed; /* out of memory */
};

struct source;

/* Lines that are shown before and after the first difference. */
#define RUN_DIFF_BEFORE 3
#define RUN_DIFF_AFTER 3

struct run_total {
	uint64_t messages;
	uint64_t first; /* wall time; 0: there were none */
	uint64_t last;
};

/* Around a difference: some messages of one thread in one run. */
struct run_lines {
	struct render_buffer text; /* one line each, escaped */
	size_t same;		   /* of them are before the difference */
	size_t count;
	uint64_t passed; /* messages of the thread so far */
};

/* All zeros but for the options is nothing read. */
struct run_diff {
	const struct options *options;
	struct run_sites sites;
	struct run_roles roles;
	struct run_total runs[2];
	const struct run_role *difference; /* null: there is none */
	struct run_lines lines[2];
	/* What a message is compared as; null: as it is. */
	const struct message *(*as)(
		void *closure, const struct message *message);
	void *closure; /* of the run that is read */
};

/* Reads run 0, then run 1, to their ends. */
void run_diff_read(struct run_diff *diff, struct source *source, int run);

/* The same for who has the messages: first begins, then gives each. */
void run_diff_begin(struct run_diff *diff, int run);
void run_diff_message(
	struct run_diff *diff, const struct message *message, int run);

/* After both. */
void run_diff_compare(struct run_diff *diff);

/* Reads run 0 or 1 once more, for the lines around the difference. */
void run_diff_read_lines(struct run_diff *diff, struct source *source, int run);

/* The same, after run_diff_begin().  False: it needs no more of them. */
bool run_diff_line(
	struct run_diff *diff, const struct message *message, int run);

/* False: there was not enough memory. */
bool run_diff_is_whole(const struct run_diff *diff);

void run_diff_free(struct run_diff *diff);

/* Calls of one place in both runs. */
struct run_change_calls {
	uint64_t calls[2];
	uint64_t all[2];   /* of all places */
	double seconds[2]; /* that the runs took, at least 1 */
};

/*
 * How much more or less the place says, as a logarithm; 0: no more or less
 * than could be expected.  It is said more if that is so against all other
 * places, and in number or per second, by half at least, and by more than
 * chance does.
 */
double run_change_of_calls(const struct run_change_calls *of);

/*
 * Whether the values of an argument are clearly others: none in common, or
 * another mean, or far beyond what there was.
 */
bool run_change_of_values(const struct run_range *a, const struct run_range *b);

#endif

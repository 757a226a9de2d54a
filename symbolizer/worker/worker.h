/*
 * The process that reads strangers' files, seen from the one that asks.
 * Called by the symbolizer.  Promises
 * that what is damaged or hostile in a file ends that process at most, that no
 * question takes for ever, and that the files which it wants are opened for it.
 */
#ifndef SYMBOLIZER_WORKER_H
#define SYMBOLIZER_WORKER_H

#include "symbolizer/files/openfile.h"
#include "symbolizer/symbolizer.h"
#include "symbolizer/worker/wire.h"

struct worker;

/*
 * Forks.  Null when that is impossible.  The options are as for
 * symbolizer_new().
 */
struct worker *worker_new(const struct symbolizer_options *options);
/* Ends the process. */
void worker_free(struct worker *worker);

/*
 * What ended it, or why it had to be ended, to follow "no names: "; empty as
 * long as it can be asked.
 */
const char *worker_epitaph(const struct worker *worker);

/* What to do about that, to follow it and a colon. */
const char *worker_advice(const struct worker *worker);

/* Addresses that may be asked for at a time. */
#define WORKERQUESTION_BATCH 64

/*
 * Makes a file known, as number 0, 1, ...  The files that are opened for it
 * are added to `opened`.
 */
bool workerquestion_open(struct worker *worker,
	const struct symbolizer_module *module, enum symtab_sources sources,
	struct openedlist *opened);

/* The file that a question is about, and what is known of it so far. */
struct workerquestion_file {
	size_t number;
	struct openedlist *opened;
	struct wirenames_heard *heard; /* of the names in `answers` */
	struct answerstore *answers;
};

/*
 * The answers for `count` addresses, 1 to WORKERQUESTION_BATCH, that are not in
 * `answers`.
 */
bool workerquestion_ask(struct worker *worker,
	const struct workerquestion_file *file, const uint64_t *addresses,
	size_t count);

/* What is between two frames; the answer is kept under `key`. */
bool workerquestion_between(struct worker *worker,
	const struct workerquestion_file *file,
	const struct symbolizer_gap *gap, uint64_t key);

/* What is behind the start of a function; likewise. */
bool workerquestion_named(struct worker *worker,
	const struct workerquestion_file *file, const char *function,
	uint64_t offset, uint64_t key);

/*
 * Makes a program known, the only one of this worker.  *complaint is null if
 * it is there; else it says why not, or is empty; valid until the next
 * question.  The files that are opened for it are added to `opened`.
 */
bool workerquestion_program(struct worker *worker,
	const struct symbolizer_module *module, struct openedlist *opened,
	const char **complaint);

/*
 * The bytes at an address of the program: a string, and its length into
 * *count, or `*count` of them.  *bytes is null if there are none; they have a
 * NUL behind them and are valid until the next question.
 */
bool workerquestion_text(struct worker *worker, uint64_t address,
	bool is_string, const uint8_t **bytes, size_t *count);

/*
 * Calls back for the calls of functions that print in the file at `path`, or
 * in the program when that is null.  *why says why there may be others, or is
 * null; it is valid until the next question.
 */
bool workerquestion_calls(struct worker *worker, const char *path,
	void (*take)(void *closure, const struct symbolizer_call *call),
	void *closure, const char **why);

/* Likewise for the texts of symbolizer_program_handed(). */
bool workerquestion_handed(struct worker *worker, uint64_t next,
	void (*take)(void *closure, const struct symbolizer_handed *handed),
	void *closure);

/* Likewise for those of symbolizer_program_statements(). */
bool workerquestion_statements(struct worker *worker,
	void (*take)(void *closure, const struct symbolizer_handed *handed),
	void *closure);

#endif

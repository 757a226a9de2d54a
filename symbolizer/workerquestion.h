/*
 * The questions that a worker is asked.  Called by the symbolizer.  Promises
 * to believe no answer further than that it is one: of texts and numbers.
 *
 * Each function returns false when the worker has ended, or had to be ended;
 * worker_epitaph() says of what.
 */
#ifndef SYMBOLIZER_WORKERQUESTION_H
#define SYMBOLIZER_WORKERQUESTION_H

#include "symbolizer/answerstore.h"
#include "symbolizer/worker.h"

/* Addresses that may be asked for at a time. */
#define WORKERQUESTION_BATCH 64

/*
 * Makes a file known, as number 0, 1, ...  The files that are opened for it
 * are added to `opened`.
 */
bool workerquestion_open(struct worker *worker,
	const struct symbolizer_module *module, struct openedlist *opened);

/*
 * The answers for `count` addresses, 1 to WORKERQUESTION_BATCH, that are not in
 * `answers`.
 */
bool workerquestion_ask(struct worker *worker, size_t module,
	const uint64_t *addresses, size_t count, struct openedlist *opened,
	struct answerstore *answers);

/* What is between two frames; the answer is kept under `key`. */
bool workerquestion_between(struct worker *worker, size_t module,
	const struct symbolizer_gap *gap, uint64_t key,
	struct openedlist *opened, struct answerstore *answers);

/*
 * Makes a program known, the only one of this worker.  *complaint is null if
 * it is there; else it says why not, or is empty; valid until the next
 * question.
 */
bool workerquestion_program(struct worker *worker,
	const struct symbolizer_module *module, const char **complaint);

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

#endif

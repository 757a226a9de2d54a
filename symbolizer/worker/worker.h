/*
 * The process that reads strangers' files, seen from the one that asks.
 * Called by the symbolizer, and by workerquestion for every question.  Promises
 * that what is damaged or hostile in a file ends that process at most, that no
 * question takes for ever, and that the files which it wants are opened for it.
 */
#ifndef SYMBOLIZER_WORKER_H
#define SYMBOLIZER_WORKER_H

#include "symbolizer/files/openedlist.h"
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

/* Where the next question is made. */
struct wire_writer *worker_packet(struct worker *worker);

/*
 * Sends it.  The files that are opened for it are added to `opened`, which is
 * null or has to stay.  From here on false means that there is an epitaph.
 */
bool worker_send(struct worker *worker, struct openedlist *opened);

/* The kind of the next reply and the rest of it; 0 is false. */
uint32_t worker_receive(struct worker *worker, struct wire_reader *packet);

/* Only a reply of this kind will do. */
bool worker_receive_only(
	struct worker *worker, enum wire_kind kind, struct wire_reader *packet);

/* Ends it for a reply that is none; returns false. */
bool worker_disbelieve(struct worker *worker);

/* The time of a question begins anew, since part of it is answered. */
void worker_give_time(struct worker *worker);

/*
 * A bit for each readlimit that it has met for the last question and that
 * concerns no other.
 */
uint32_t worker_limits(const struct worker *worker);

/* What all files that it has opened occupy together. */
uint64_t worker_handed_bytes(const struct worker *worker);

#endif

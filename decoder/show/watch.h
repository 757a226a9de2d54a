/*
 * What programs say while they say it: `binlog-show --follow`.  Called by its
 * main instead of a merge; gives messages to the outputs within 50 ms of the
 * call, and lets no program wait for it.  A packed log, which the usual source
 * reads, is only waited for here.
 */
#ifndef DECODER_WATCH_H
#define DECODER_WATCH_H

#include "base/error.h"
#include "decoder/show/outputs.h"

enum watch_end {
	WATCH_STOPPED, /* by a signal, or since nobody reads any more */
	WATCH_ENDED,   /* nobody is left who could say more */
	WATCH_NOTHING, /* could be read, see the errors */
	WATCH_MEMORY   /* there is none left */
};

struct watch_sum {
	enum watch_end end;
	bool damaged;
};

/* Before anything is made that a signal should end in good order. */
void watch_signals(void);

/*
 * The path is of a directory, whose captures are followed for ever, or of one
 * capture, whose end is also that of this.  The outputs have begun; errors are
 * said when they come, but for what is left in `errors`.
 */
struct watch_sum watch_run(const char *path, bool quiet,
	struct outputs *outputs, struct error_list *errors);

/* False: nobody waits for more, or reads it, any more.  Sleeps otherwise. */
bool watch_goes_on(const struct outputs *outputs, int milliseconds);

/* A packed log that somebody may be writing to. */
struct watch_log {
	const char *path;
	struct outputs *outputs;
	struct error_list *errors;
	bool caught_up; /* what was there at first is shown */
	bool left;	/* before the log has ended */
	struct watch_sum sum;
};

/* Until there is something in it.  False: nobody waits any more. */
bool watch_log_begins(const struct watch_log *log);

/* A packed_more; the closure is a struct watch_log.  Waits for a moment. */
bool watch_log_more(void *closure);

#endif

/*
 * The places and threads that status_count.c counts for.  Called by it alone;
 * there is a limit to both, see status_count.h, and one more of each that
 * stands for all others.
 */
#ifndef TOOLS_CTL_STATUS_SITES_H
#define TOOLS_CTL_STATUS_SITES_H

#include "decoder/capture/message.h"
#include "tools/live/status_count.h"

/* The place that the message is from; it may move with the next question.
 * Null: out of memory. */
struct status_site *status_sites_obtain(
	struct status_count *count, const struct message *message);

/*
 * Likewise its thread.  A writer serves one after another, or many are served
 * by several at several levels of nesting.
 */
struct status_thread *status_sites_thread(
	struct status_count *count, const struct message *message);

/* All of them, and what was counted. */
void status_sites_forget(struct status_count *count);

#endif

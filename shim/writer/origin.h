/*
 * Who has created this thread, or forked this process, and with which stack:
 * said with the first record of whoever was created, and by nobody who stays
 * silent.  Called by the wrappers around a creation, by the thread itself when
 * it begins, and by ownership.c when it introduces a thread.  Equal stacks are
 * kept once; a creation costs no lock and no memory of its own, and if
 * something cannot be had it is as if nobody had looked.
 */
#ifndef SHIM_ORIGIN_H
#define SHIM_ORIGIN_H

#include "shim/writer/writer.h"

/* What a new thread is to do, as it was asked for. */
struct origin_task {
	void (*function)(void); /* of the type that the creator knows */
	void *argument;
};

struct origin_start;

/*
 * Before the creation, for the new thread to take; null: create it natively.
 * If there was none after all, it is to be given back.
 */
struct origin_start *origin_hand_over(
	const struct call *call, struct origin_task task);
void origin_take_back(struct origin_start *start);

/* In the new thread, once. */
struct origin_task origin_accept(struct origin_start *start);

/* Before a fork, and after it in the parent. */
void origin_before_fork(const struct call *call);
void origin_after_fork(void);

/* Writes what is known of the calling thread, which is inside. */
void origin_introduce(struct writer *w);

#endif

#include "shim/start/startup.h"
#include "shim/writer/coroutine.h"
#include "shim/writer/origin.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/*
 * Threads that are created.  Each begins here, takes what its creator has left
 * for it, and jumps to where it was to begin: a call would be one more frame of
 * its stack.  And coroutines, which are made natively.
 */

static struct origin_task begin(struct origin_start *start)
{
	coroutine_thread_begins((uintptr_t)__builtin_frame_address(0));
	return origin_accept(start);
}

static void *start_thread(void *start)
{
	struct origin_task task = begin(start);

	return ((void *(*)(void *))task.function)(task.argument);
}

static int start_thrd(void *start)
{
	struct origin_task task = begin(start);

	return ((thrd_start_t)task.function)(task.argument);
}

int create_thread(const struct call *call, pthread_t *thread,
	const pthread_attr_t *attributes, void *(*function)(void *),
	void *argument)
{
	const struct origin_task task = {(void (*)(void))function, argument};
	struct origin_start *start = origin_hand_over(call, task);
	int result;

	if (!start)
		return next_pthread_create(
			thread, attributes, function, argument);
	result = next_pthread_create(thread, attributes, start_thread, start);
	if (result != 0)
		origin_take_back(start);
	return result;
}

int create_thrd(const struct call *call, thrd_t *thread, thrd_start_t function,
	void *argument)
{
	const struct origin_task task = {(void (*)(void))function, argument};
	struct origin_start *start = origin_hand_over(call, task);
	int result;

	if (!start)
		return next_thrd_create(thread, function, argument);
	result = next_thrd_create(thread, start_thrd, start);
	if (result != thrd_success)
		origin_take_back(start);
	return result;
}

void create_coroutine(const ucontext_t *context)
{
	startup();
	coroutine_made(context->uc_stack.ss_sp, context->uc_stack.ss_size,
		(uintptr_t)__builtin_frame_address(0));
}

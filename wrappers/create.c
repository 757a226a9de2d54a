#include "shim/writer/origin.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/*
 * Threads that are created.  Each begins here, takes what its creator has left
 * for it, and jumps to where it was to begin: a call would be one more frame of
 * its stack.
 */

static void *start_thread(void *start)
{
	struct origin_task task = origin_accept(start);

	return ((void *(*)(void *))task.function)(task.argument);
}

static int start_thrd(void *start)
{
	struct origin_task task = origin_accept(start);

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

/*
 * For tests of what asks for a cancellation, where there is none.  It defines
 * functions of the library: not for more than one file of a program.
 */
#ifndef TESTS_CANCEL_WORLD_H
#define TESTS_CANCEL_WORLD_H

#include "shim/host/host.h"
#include "shim/stdio/cancel.h"

uint32_t cancel_requests;

void cancel_before_slow(unsigned stream, size_t block)
{
	(void)stream;
	(void)block;
}

void cancel_before_character_slow(unsigned stream)
{
	(void)stream;
}

void cancel_after_slow(unsigned stream, size_t size, bool is_line)
{
	(void)stream;
	(void)size;
	(void)is_line;
}

void cancel_after_character_slow(unsigned stream, int c)
{
	(void)stream;
	(void)c;
}

int cancel_disable(void)
{
	return 0;
}

void cancel_restore(int state)
{
	(void)state;
}

static void nothing_to_ask(void)
{
}

void (*host_pthread_testcancel)(void) = nothing_to_ask;

#endif

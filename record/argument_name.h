/*
 * The name of an argument: the word that stands before its directive, as
 * `size` in "size=%d", "size: %d", "size %d", "\"size\": %d" and "[size 0x%x".
 * Used by filters of arguments and by rules that leave some out, so that both
 * mean the same.  Freestanding.
 */
#ifndef RECORD_ARGUMENT_NAME_H
#define RECORD_ARGUMENT_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* The bytes of a text before a directive up to the end of the name. */
size_t argument_name_end(const char *text, size_t bytes);

/*
 * Whether the name is this one; `bytes` are those of argument_name_end().
 * With `any_case` it may be in capital letters or not.
 */
bool argument_name_is(const char *text, size_t bytes, const char *name,
	size_t name_bytes, bool any_case);

#endif

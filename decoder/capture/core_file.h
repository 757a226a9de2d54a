/*
 * Captures inside a core file: a process maps what it writes, and has it in
 * memory when it dies, if the pages of files are in its core (core(5),
 * coredump_filter).  Asked by capture_list.c for every path.
 */
#ifndef DECODER_CORE_FILE_H
#define DECODER_CORE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"

/* It is an ELF file of this kind. */
bool core_file_is(const char *path);

/*
 * Where the header pages of captures are in it, each capture once; how many.
 * *more: there are others behind them.
 */
size_t core_file_captures(
	const char *path, uint64_t headers[LIMITS_CORE_CAPTURES], bool *more);

#endif

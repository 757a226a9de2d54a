/*
 * Whether the dynamic loader that a program names will load the library into
 * it, and find everything that the library wants from libc.  Called by
 * program_check.c.  Promises to judge loader and libc by what they define, not
 * by their version numbers or places; only musl is known by its name.
 */
#ifndef TOOLS_RUN_LOADER_CHECK_H
#define TOOLS_RUN_LOADER_CHECK_H

#include "tools/program/elf_image.h"
#include "tools/program/refusal.h"

/*
 * `subject` begins the sentence.  May also return true with `why` of `image`
 * set: then that has to be reported.
 */
bool loader_check(struct elf_image *image, struct elf_image *library,
	const char *subject, struct refusal *refusal);

#endif

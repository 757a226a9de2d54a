/*
 * What is constant in a program: texts by their address, and its calls.
 * Called in the symbolizer's worker.  Promises to use the program itself and
 * not its debug file, and no file but the one that was recorded unless the
 * options say `force`.
 */
#ifndef SYMBOLIZER_PROGRAMTEXT_H
#define SYMBOLIZER_PROGRAMTEXT_H

#include "symbolizer/code/callsites.h"
#include "symbolizer/code/handed.h"

struct programtext;

/*
 * Null when there is none; then *complaint is one sentence that says why, or
 * null, and the caller frees it.
 */
struct programtext *programtext_open(const struct symbolizer_options *options,
	const struct symbolizer_module *wanted, char **complaint);
void programtext_close(struct programtext *program);

/* For sentences; valid until it is closed. */
const char *programtext_path(const struct programtext *program);

/*
 * The string at an address as in the ELF file, with its NUL, and how many
 * bytes it has before that; valid until the file is closed.  Null: there is
 * none where nobody can write.
 */
const uint8_t *programtext_string(
	struct programtext *program, uint64_t address, size_t *count);

/* Likewise `count` bytes. */
const uint8_t *programtext_bytes(
	struct programtext *program, uint64_t address, size_t count);

/* As callsites_list(). */
const char *programtext_calls(
	struct programtext *program, callsites_take *take, void *closure);

/* As handed_each(). */
void programtext_handed(struct programtext *program, uint64_t next,
	handed_take *take, void *closure);

/* As handed_list(). */
void programtext_statements(
	struct programtext *program, handed_take *take, void *closure);

#endif

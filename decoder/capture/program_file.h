/*
 * A program or library that was recorded, for what is constant in it.  Opened
 * by restore.c when a definition is lost.  Promises to be the file that was
 * recorded, unless another one was forced.
 */
#ifndef DECODER_PROGRAM_FILE_H
#define DECODER_PROGRAM_FILE_H

#include "base/pool.h"
#include "base/program.h"
#include "symbolizer/symbolizer.h"

/* A call of a function that prints, known by where it returns to. */
struct program_file_call {
	uint64_t next;
	const char *text; /* null: several, or none that is constant */
	size_t length;
};

struct program_file {
	struct program_module module;	    /* its strings are borrowed */
	struct symbolizer_program *program; /* null: not to be had, */
	char *complaint; /* since; restore.c's, not told yet, or null */
	bool listed;	 /* the calls are here: */
	struct program_file_call *calls; /* by `next` */
	size_t count;
	size_t room;
	struct pool pool;
};

/*
 * Looks for the module where the options say, then among `executables` (paths
 * that end in a null, or null).  Null: out of memory.  *complaint is null or to
 * be freed.
 */
struct program_file *program_file_open(const struct program_module *module,
	const struct symbolizer_options *options,
	const char *const *executables, char **complaint);
void program_file_close(struct program_file *file);

bool program_file_is(
	const struct program_file *file, const struct program_module *module);

/* The call that returns to an address of the ELF file.  Null: none is known. */
const struct program_file_call *program_file_call_before(
	struct program_file *file, uint64_t address);

#endif

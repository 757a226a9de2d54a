/*
 * The machine code of a file as instructions, by regions, and the jumps that
 * lead to each of them.  Read forwards by callsites.c, backwards by
 * codetrace.c.  Promises to read each region only while somebody looks at it,
 * so that the size of the file does not matter.
 */
#ifndef SYMBOLIZER_CODEFLOW_H
#define SYMBOLIZER_CODEFLOW_H

#include "symbolizer/code/imports.h"
#include "symbolizer/code/instruction.h"

struct codestarts {
	uint64_t *addresses; /* ascending, each of them once */
	size_t count;
	size_t room;
};

/* False when out of memory; a damaged table has no starts. */
bool codestarts_load(struct codestarts *starts, struct constantdata *data);
void codestarts_free(struct codestarts *starts);

#define MACHINE_ARGUMENTS 8

struct machine {
	uint16_t number; /* EM_... */
	instruction_decode *decode;
	uint8_t arguments[MACHINE_ARGUMENTS]; /* registers, */
	uint8_t argument_count;		      /* so many of them */
	uint8_t returned; /* bytes of the return address on the stack */
	uint8_t result;
	uint8_t stack;	    /* what local variables are found by: */
	uint8_t frame;	    /* either of these */
	uint32_t clobbered; /* by a call: a bit for each register */
};

/* That of the file.  Null: of this processor nothing is known. */
const struct machine *machine_of(struct elffile *file);

struct codeflow_step {
	struct instruction instruction;
	uint64_t address;
};

/* A jump. */
struct codeflow_edge {
	uint64_t to;
	uint64_t from;
};

/* The code between two starts, mostly a function. */
struct codeflow_region {
	uint64_t start; /* equal to `end`: unused */
	uint64_t end;
	struct codeflow_step *steps;
	size_t count;
	size_t room;
	struct codeflow_edge *edges; /* inside of it, by `to` */
	size_t edge_count;
	size_t edge_room;
	bool has_edges; /* they have been looked for */
};

#define CODEFLOW_REGIONS 6

struct codeflow {
	const struct machine *machine;
	struct constantdata *data; /* these stay the caller's */
	const struct codestarts *starts;
	const struct imports *imports;
	struct codeflow_edge *leaving; /* from one region into another */
	size_t leaving_count;
	size_t leaving_room;
	bool *called; /* for each start, as is: */
	bool *ends;   /* it never returns */
	struct codeflow_region regions[CODEFLOW_REGIONS];
	size_t next;	   /* region to be given up */
	uint64_t patience; /* steps that all traces may still take or read */
};

/* False when out of memory. */
bool codeflow_open(struct codeflow *flow, const struct machine *machine,
	struct constantdata *data, const struct codestarts *starts,
	const struct imports *imports);
void codeflow_close(struct codeflow *flow);

/*
 * The region with the code at `address`; valid until CODEFLOW_REGIONS others
 * have been asked for.  Null: no code is there, or out of memory.
 */
struct codeflow_region *codeflow_region_at(
	struct codeflow *flow, uint64_t address);

/*
 * Calls back for all code of the file, region by region; stubs that lead to
 * imported functions are not among it.  False: a callback said so, or out of
 * memory.
 */
bool codeflow_each(struct codeflow *flow,
	bool (*take)(void *closure, struct codeflow_region *region),
	void *closure);

/* How many steps of the region are before `address`. */
size_t codeflow_steps_before(
	const struct codeflow_region *region, uint64_t address);

/* The instruction that ends right before `next`.  False: there is none. */
bool codeflow_step_before(
	struct codeflow *flow, uint64_t next, struct codeflow_step *step);

/*
 * Notes where the code of a region leads to, so that others can be traced back
 * into it.  All regions once, then codeflow_settle(), then traces.  False when
 * out of memory.
 */
bool codeflow_note(struct codeflow *flow, const struct codeflow_region *region);
void codeflow_settle(struct codeflow *flow);

/*
 * The jumps to `address` from inside its region, and from others: *count of
 * each, in one array of the region and one of the flow.
 */
const struct codeflow_edge *codeflow_inner_edges(
	struct codeflow_region *region, uint64_t address, size_t *count);
const struct codeflow_edge *codeflow_outer_edges(
	const struct codeflow *flow, uint64_t address, size_t *count);

/* A function begins here, or a stub that leads to an imported one. */
bool codeflow_is_entry(const struct codeflow *flow, uint64_t address);

/* A function begins here that never returns. */
bool codeflow_ends(const struct codeflow *flow, uint64_t address);

/* A function begins here that is called. */
bool codeflow_is_called(const struct codeflow *flow, uint64_t address);

#endif

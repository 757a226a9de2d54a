/*
 * From a file and an offset in it to functions, source lines and inline
 * chains; at addresses of data to variables.  Called by binlog-show and
 * binlog-symbolize; uses DWARF, else .symtab, else .dynsym and MiniDebugInfo,
 * and names are demangled.  Promises an answer for every question: what cannot
 * be found is missing from the answer, and a damaged or foreign file costs
 * names, never the caller.
 *
 * Files are read by a process of their own that can do nothing else; see
 * worker.h.  When one of them ends it, the next process reads no more of that
 * file than its tables of symbols, and when that ends it, too, there are no
 * names.  That may happen with 8 files; of others there are no names then.
 */
#ifndef SYMBOLIZER_SYMBOLIZER_H
#define SYMBOLIZER_SYMBOLIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/readlimits.h"

/* What to do where it takes more memory than that; the same for time. */
#define SYMBOLIZER_MORE(limit)                                                 \
	"if it is to be trusted, give --limit=" limit "=N with a larger N"

struct sandbox_needs;
struct symbolizer;

/* Where to look; strings stay the caller's and must outlive the symbolizer. */
struct symbolizer_options {
	const char *const *debug_directories; /* null-terminated, or null for */
					      /* /usr/lib/debug alone */
	/* Where recorded paths lead now, "FROM=TO": the longest FROM wins; */
	const char *const *path_maps; /* null-terminated, or null */
	const char *sysroot;	      /* what "/" was; null: "/" */
	bool force;	 /* use files that are not those that were recorded */
	bool debuginfod; /* ask the servers in DEBUGINFOD_URLS for */
			 /* what is not here */
	bool mangled;	 /* leave names as they are */
	/* How content_hash below was made; null: content_hash is ignored. */
	uint64_t (*hash)(const void *data, size_t size);
	/* A directory to keep answers in, for the next run; null: nowhere. */
	/* See symbolizer_usual_cache(). */
	const char *cache;
	/* What calls hand on is told in full, and so not kept. */
	bool whole_handed;
	/* What one file may take, and one question; 0: those of readlimits.h.
	 */
	/* Large ones get more: 4 bytes of memory per byte on disk, and 1 s */
	/* per 32 MiB. */
	uint64_t memory_bytes;
	unsigned seconds;
	/* Read files in the calling process, without any limit and without a */
	/* cache: for looking at it with a debugger. */
	bool in_process;
	/* Told once, in one sentence, of each file that costs a process; */
	/* may be null. */
	void (*report)(void *closure, const char *sentence);
	void *report_closure;
};

/* A file as it was when its addresses were recorded. */
struct symbolizer_module {
	const char *path;	 /* null: only its build-id is known */
	const uint8_t *build_id; /* null or build_id_bytes of it */
	size_t build_id_bytes;
	uint64_t file_bytes;   /* 0: unknown */
	uint64_t content_hash; /* of the bytes of the first executable */
			       /* segment; 0: unknown */
};

/* One frame of the answer, innermost inlined one first. */
struct symbolizer_frame {
	const char *function; /* null: unknown.  Valid until the next call */
	const char *file;     /* null: unknown */
	unsigned line;	      /* 0: unknown */
	unsigned column;      /* 0: unknown */
	uint64_t offset;      /* from the start of the function's symbol */
	bool inlined;	      /* into the next frame of the answer */
	bool wrapper;	      /* takes any arguments, or a va_list: who logs */
			      /* by it is its caller */
};

/*
 * The directory for options.cache: the one that BINLOG_CACHE names, else
 * binlog in $XDG_CACHE_HOME, else in $HOME/.cache.  Null when BINLOG_CACHE is
 * empty, or none of them is set.  The caller frees it after the symbolizer.
 */
char *symbolizer_usual_cache(void);

/*
 * Adds what a symbolizer with these options needs of the system to what a
 * process keeps (sandbox.h).  The directory of the cache is made.
 */
void symbolizer_add_needs(
	const struct symbolizer_options *options, struct sandbox_needs *needs);

/* Null when out of memory.  Not thread-safe; use one per thread. */
struct symbolizer *symbolizer_new(const struct symbolizer_options *options);
void symbolizer_free(struct symbolizer *symbolizer);

/*
 * The frames at `address`, an address as in the ELF file (run-time address
 * minus load bias; for return addresses subtract 1 first).  Calls back once
 * per frame and at least once.  Returns null, or one sentence that says why
 * less is known than could be (no such file, another build-id, ...), valid
 * until the next call.  If it is about the file, it begins with the path and a
 * colon; if about the address, with the path and a plus sign.
 */
const char *symbolizer_resolve(struct symbolizer *symbolizer,
	const struct symbolizer_module *wanted, uint64_t address,
	void (*frame)(void *closure, const struct symbolizer_frame *frame),
	void *closure);

/*
 * The same for what is `offset` behind the start of a function, as frames tell
 * it, where only the name of that function is known, for people or for
 * linkers.  Nothing is there when the file has none of that name, or several.
 */
const char *symbolizer_resolve_named(struct symbolizer *symbolizer,
	const struct symbolizer_module *wanted, const char *function,
	uint64_t offset,
	void (*frame)(void *closure, const struct symbolizer_frame *frame),
	void *closure);

/* Whether there is an ELF file, through path_maps and sysroot. */
bool symbolizer_has_file(
	const struct symbolizer_options *options, const char *path);

/*
 * Two frames of a stack, of which the outer one may not have called the inner
 * one itself: a function in between is missing when its last call was a jump.
 */
struct symbolizer_gap {
	uint64_t next;	 /* return address in the outer frame, as in the file */
	uint64_t inside; /* address in the function of the inner frame, in */
			 /* the same file; 0: it is in another */
	const char *name;  /* then its name for linkers; null: unknown */
	uint64_t argument; /* a constant address that it was given, as the */
			   /* format of printf is; 0: none is known */
};

/*
 * The frames that are missing there, as symbolizer_resolve() tells them.  Calls
 * back once without a function when there are none, or it is not certain which.
 */
void symbolizer_between(struct symbolizer *symbolizer,
	const struct symbolizer_module *wanted,
	const struct symbolizer_gap *gap,
	void (*frame)(void *closure, const struct symbolizer_frame *frame),
	void *closure);

/*
 * Finds the answers to what will be asked soon.  That is faster than one by
 * one; nothing is lost without it.
 */
void symbolizer_expect(struct symbolizer *symbolizer,
	const struct symbolizer_module *wanted, const uint64_t *addresses,
	size_t count);

/*
 * A descriptor for reading the source file that debug information calls
 * `path`, through path_maps and sysroot; -1 when there is no such regular
 * file.
 */
int symbolizer_open_source(
	const struct symbolizer_options *options, const char *path);

/* A text that a call is given. */
struct symbolizer_text {
	const uint8_t *bytes; /* without the zero that ends it */
	size_t count;
	bool wide;	 /* characters of 4 bytes */
	bool translated; /* passed through gettext(3) or one like it */
};

/* A call of a function that prints, or passes its text on to one. */
struct symbolizer_call {
	uint64_t address; /* of the instruction, as in the ELF file */
	uint64_t next;	  /* of the one after it; 0: it is a jump, that */
	/* returns to where its function was called */
	const char *function; /* the name that is imported; null: it is of */
	uint64_t target;      /* this file, here, and passes its text on */
	const struct symbolizer_text *texts;
	size_t text_count;
	bool more; /* it may be given others that are not known */
	bool said; /* its texts are what the function formats, of which more */
		   /* than it is printed, or less */
};

/*
 * All calls in a file of functions that print.  `call` and what it points to
 * are valid until the callback returns.  Returns null, or why there may be
 * others, valid until the next call.
 */
const char *symbolizer_calls(const char *path,
	void (*take)(void *closure, const struct symbolizer_call *call),
	void *closure);

/*
 * What is constant in a file: texts by their address, and its calls.  It is
 * looked for where the options say, and has to be the one that was recorded
 * unless they say `force`.  Null: it is not there, and *complaint is one
 * sentence that says why, or null; the caller frees it.  With a cache, what
 * symbolizer_program_handed() has told stays there for the next run, which
 * reads the file only if it asks for something else; the strings of the options
 * have to outlive the program.
 */
struct symbolizer_program;
struct symbolizer_program *symbolizer_program_open(
	const struct symbolizer_options *options,
	const struct symbolizer_module *wanted, char **complaint);
void symbolizer_program_close(struct symbolizer_program *program);

/* Ends the process that reads it, until it is asked for something new. */
void symbolizer_program_rest(struct symbolizer_program *program);

/*
 * The string at an address as in the ELF file, with its NUL, and how many
 * bytes it has before that; valid until the file is closed.  Null: there is
 * none where nobody can write.
 */
const char *symbolizer_program_string(
	struct symbolizer_program *program, uint64_t address, size_t *count);

/* Likewise `count` bytes. */
const char *symbolizer_program_bytes(
	struct symbolizer_program *program, uint64_t address, size_t count);

/* As symbolizer_calls(). */
const char *symbolizer_program_calls(struct symbolizer_program *program,
	void (*take)(void *closure, const struct symbolizer_call *call),
	void *closure);

/* How a call of a stack came to a constant text; the most likely first. */
enum symbolizer_handing {
	SYMBOLIZER_HANDED_BY_CALL, /* it is an argument of it */
	SYMBOLIZER_HANDED_BY_JUMP, /* what it called ends by a jump with it, or
				    */
				   /* after a call with it */
	SYMBOLIZER_HANDED_BEFORE,  /* it was an argument of an earlier call */
	SYMBOLIZER_HANDINGS
};

/* What becomes of it in the function that is called. */
enum symbolizer_use {
	SYMBOLIZER_USE_UNKNOWN,
	SYMBOLIZER_USE_PRINTS, /* one that prints it */
	SYMBOLIZER_USE_MAKES,  /* one that makes a text of it in memory */
	SYMBOLIZER_USES
};

/* Whether the code says so. */
enum symbolizer_answer {
	SYMBOLIZER_UNKNOWN,
	SYMBOLIZER_NO,
	SYMBOLIZER_YES,
	SYMBOLIZER_ANSWERS
};

struct symbolizer_handed {
	const char *bytes; /* with a NUL behind them */
	size_t count;
	uint64_t call;	/* the instruction, as in the ELF file, */
	uint64_t begin; /* and the code around it, mostly a function */
	uint64_t end;
	enum symbolizer_handing how;
	enum symbolizer_answer takes_any; /* arguments, as printf does */
	/* Of an answer out of the cache these are zeros: */
	uint64_t next;	  /* the instruction after it; 0: it is a jump */
	uint64_t target;  /* what it calls, or a stub; 0: not known */
	uint8_t argument; /* which one of the call it is, from 0 on */
	bool more;	  /* this argument may be others that are not known */
	enum symbolizer_use use;
};

/*
 * The texts that may have been handed on at the call which returns to `next`,
 * as in the ELF file, or before it in the same function.  `take` is called for
 * each, the most likely first; what it is given is valid until it returns.
 * Promises no more than a few hundred.
 */
void symbolizer_program_handed(struct symbolizer_program *program,
	uint64_t next,
	void (*take)(void *closure, const struct symbolizer_handed *handed),
	void *closure);

/*
 * All texts that calls in the file hand on to any function, and, with the call
 * 0, those that pointers which nobody can write to lead to, as in tables of
 * texts: whatever a message of the program may be made of.  Some are told
 * several times; what is no text is left out.  As above, but in the order of
 * the code, and bounded by the size of the file only.  `take` must not ask
 * about the program.
 */
void symbolizer_program_statements(struct symbolizer_program *program,
	void (*take)(void *closure, const struct symbolizer_handed *handed),
	void *closure);

#endif

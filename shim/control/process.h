/*
 * What everybody asks of this process: whether it records, how much, and whose
 * memory this is.  Set by startup.c; async-signal-safe and lock-free.
 */
#ifndef SHIM_PROCESS_H
#define SHIM_PROCESS_H

#include "record/layout.h"
#include "shim/control/control.h"
#include "shim/host/sys.h"

struct process {
	uint32_t pid;
	unsigned depth;	     /* frames of backtrace */
	uint64_t max_bytes;  /* of the capture file */
	uint64_t ring_bytes; /* of it, for the newest calls; 0: for all */
	bool forked;	     /* and has not executed a program since */
	bool joined;	     /* its program: to the capture of another one */
	bool spilled;	     /* since then, to a capture of its own */
	/* What is behind the PROCESS record: see record/layout.h. */
	const char *name;    /* binlog_program_name() */
	const char *strings;
	uint32_t strings_bytes;
	uint32_t argument_bytes; /* of these up to the end of argv */
	uint32_t arguments;
};

extern HIDDEN struct process process;

/* What belongs to one process alone: all zeros in a fresh child of fork. */
struct process_self {
	struct writer *writers; /* all, newest first */
	uint64_t fork;	 /* number of the FORK event before its birth, or 0 */
	uint32_t number; /* `process` of struct binlog_block */
	uint32_t parent; /* that of its parent: see binlog_process_record */
	bool described;	 /* by a PROCESS record */
	uint32_t births; /* threads that are getting their writers */
	uintptr_t in_force;	    /* see control.c: rules and level, */
	struct control_text *texts; /* and all that ever were */
	struct site_table *sites;   /* see site.c */
};

/* Null before there is a capture. */
struct process_self *process_self(void);

/* Counts whenever addresses may mean something else (dlclose). */
extern HIDDEN uint32_t process_reloads;

/*
 * A writer that has seen the generation (control.h) and is not in use has
 * `state` equal to it; hence one comparison covers everything that may be
 * unusual.
 */
static inline void process_changed(void)
{
	__atomic_fetch_add(&process_reloads, 1, __ATOMIC_SEQ_CST);
	control_forget();
}

/* True for the first caller alone, who reads the settings and creates the
 * capture; until that has ended, and for ever if it failed, calls pass. */
bool process_begins(void);
void process_has_begun(bool recording);

/* Arming has ended, one way or the other: decisions may be remembered. */
bool process_is_armed(void);

/* There is a capture to record into. */
bool process_is_recording(void);

/* Not in a child of vfork or CLONE_VM, nor in one of fork that has recorded
 * nothing so far; not in a process that records nothing at all. */
static inline bool process_is_itself(void)
{
	return sys_forbidden || process.pid == (uint32_t)SYS0(getpid);
}

/* We run in a child of vfork or of CLONE_VM: another process, same memory. */
bool process_is_borrowed(void);

/* We are the process in which the program was started. */
bool process_is_founder(void);

/* The capture is ours; others are of children that were forked since. */
bool process_owns_capture(void);

/*
 * It is, from here on, and nothing was said in it; `spoke`: but something was
 * in the one before, to which all numbers have belonged.
 */
void process_spills(bool spoke);

/* Before the first writer: takes note of who we are after a fork. */
void process_follow_fork(void);

/* The same of one that surely has memory of its own. */
void process_is_child(void);

/* A writer was made; the first one of a forked child gives it its number. */
void process_enumerate(uint32_t writer);

/* Writes a PROCESS record and returns its size; null: only the size. */
uint32_t process_describe(struct binlog_process_record *record);

/* The path of the executable, NUL-terminated; empty when unknown. */
static inline const char *process_executable(void)
{
	return process.strings;
}

#endif

/*
 * What is to become of the calls from one place, by the rules and the level
 * that are in force.  Called by the slow way to record a call, and only where
 * there is something to decide (control_deciding); decided once for each
 * place, and anew after each change.  What the short way does not know of it
 * is recorded like any other call.  Lock-free, async-signal-safe.
 */
#ifndef SHIM_SITE_H
#define SHIM_SITE_H

#include "rules/rules.h"
#include "shim/record/capture_slow.h"

struct mark_table;
struct plan;
struct redaction;

/* Of calls that are not all recorded. */
struct site_gate {
	uint64_t until;	     /* ticks: then the next ones may be */
	uint64_t suppressed; /* since the last that was */
	uint32_t used;
	uint32_t turn;
};

/* A place, a text and a stream; and of its stack what rules ask for. */
struct site {
	struct site *next;
	uintptr_t pc;
	uintptr_t key;	      /* as of struct memo */
	const char *function; /* as of struct call */
	uint64_t through; /* a hash of the calls on the stack that rules ask */
			  /* for; 0: there are none */
	uint32_t stream;
	uint32_t thread;		   /* 0: of all threads */
	uint32_t generation;		   /* for which it was decided, or 0 */
	uint32_t deciding;		   /* somebody is about to */
	uint32_t changes;		   /* how often somebody was */
	const struct redaction *redaction; /* null: nothing is left out, or, */
	bool redacts;			   /* with this, the whole text is */
	const struct plan *plan;	   /* where marks ask for arguments */
	uint64_t rules_at; /* in the capture: where they were decided by */
	int level;	   /* and the level */
	struct site_gate gate;
	uint32_t reloads;  /* one more than process_reloads, for which its */
			   /* addresses hold */
	bool special;	   /* the short way may not have the next calls */
	bool result_used;  /* or written to, by "%n" */
	bool is_spare;	   /* of one call after the other */
	uint8_t decisions; /* 1, or one for each priority of syslog() */
	struct rule_decision decided[];
};

/* What was decided about one call: all of it at one time. */
struct site_decision {
	struct rule_decision decided;
	const struct redaction *redaction; /* these as of struct site */
	const struct plan *plan;
	uint64_t rules_at;
	int level;
	bool redacts;
	bool special;
	bool result_used;
};

/* A call, as far as rules ask for it. */
struct site_call {
	const struct call *call;
	unsigned stream;
	unsigned text;	   /* enum binlog_text */
	unsigned priority; /* of syslog(), else 0 */
	/* Or bytes, if they are constant; null: not known. */
	const char *format;
	size_t length;
};

/* Null: there is no memory.  What *decision says was decided for `generation`,
 * or later. */
struct site *site_find(struct writer *w, const struct site_call *call,
	struct site_decision *decision, uint32_t *generation);

/*
 * A call that is not recorded, nor will be: from now on it costs next to
 * nothing, if that can be.  `length` is what it returns, -1 if that is not
 * always the same.
 */
void site_switch_off(const struct site *site, uint32_t generation,
	const struct site_decision *decision, const struct site_call *call,
	uint32_t version, int length);

/* Whether the call may be recorded; counts it if not.  `request`, if it is not
 * 0: of the same all calls are sampled, or none. */
bool site_admits(struct site *site, const struct site_decision *decision,
	uint64_t request);

/* At the end of the process, which is at `call`: of each place how many calls
 * were not recorded since the last one that was.  Told once. */
void site_tell_suppressed(const struct call *call);

/* Of this process; null: there is no memory. */
struct mark_table *site_marks(void);

/* capture_inside() and capture_bytes_inside() as far as rules let it come to
 * that. */
int site_format(struct writer *w, const struct call *call,
	const struct capture_text *how, const char *format, va_list arguments);
bool site_bytes(struct writer *w, const struct call *call, unsigned stream,
	unsigned text, const void *bytes, size_t size);

/* What rules let come of bytes that go to a place in a file, of which nothing
 * is known but where the call is. */
enum site_answer { SITE_RECORD, SITE_HIDE, SITE_PASS, SITE_DROP };
enum site_answer site_ask(
	struct writer *w, const struct call *call, unsigned stream);

#endif

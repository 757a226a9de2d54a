/*
 * Rules on call sites, as binlog-rules(7) has them: which calls are recorded,
 * how, and without which of their arguments.  Called by the library, once for
 * each place that calls and each change of the rules, and by the tools, which
 * say what is wrong with a text before it is in force.  Freestanding: no libc
 * call, no allocation, no recursion, nothing that is not in `memory`.
 */
#ifndef RULES_RULES_H
#define RULES_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rules/policy.h"

#define RULES_MAX 65536u
#define RULES_GLOB_MAX 4096u
#define RULES_TEXT_MAX (960u << 10)

/* A function of the source that a call is in: several, where the compiler has
 * put one into another. */
struct rule_source {
	const char *func;
	const char *file; /* its path */
	unsigned line;
};

/* Calls of the stack that rules look at, the one that is recorded included. */
#define RULES_FRAMES_MAX 24u

/* A call of the stack that rules ask for; null, or 0: it is not known. */
struct rule_frame {
	const char *module; /* its path */
	const uint8_t *build_id;
	unsigned build_id_bytes;
	uint64_t offset; /* as of struct rule_site */
};

/* What is known of the calls from one place; null, or 0: it is not. */
struct rule_site {
	const char *program;	/* what it is called, and */
	const char *executable; /* its path: a rule may say either */
	const char *module; /* its path */
	const uint8_t *build_id;
	unsigned build_id_bytes;
	uint64_t offset; /* of the call in the module: pc - 1 - bias */
	/* Those calls of the stack that rules_have_frame() of; null: the stack
	 * is not known. */
	const struct rule_frame *frames;
	unsigned frames_count;
	const char *called;
	const char *format; /* or the text, if it is constant */
	size_t format_bytes;
	unsigned streams; /* POLICY_STDOUT... */
	const char *path; /* of a file stream */
	const char *thread;
	int level;			   /* as inferred */
	const struct rule_source *sources; /* never known in a process */
	unsigned sources_count;
	/* Of a text that is written as well: the names of secrets that nobody
	 * has to ask for, see rule_redact.h, are redacted before all rules. */
	bool is_copy;
};

enum rule_outcome { RULE_CAPTURE, RULE_PASS, RULE_DROP };
enum rule_redaction { REDACT_LENGTH, REDACT_HASH };

#define SAMPLE_BY_THREAD 255u

/* The beginning of a time that is measured. */
struct rule_mark {
	uint64_t name;	  /* a hash of it; 0: there is none */
	uint8_t argument; /* which one it takes to find it, from 1 on, as of */
			  /* `redacted`; 0: the thread */
};

/* What the rules say of these calls; zeros, but for `level`: nothing. */
struct rule_decision {
	uint8_t action;	   /* enum rule_outcome */
	bool action_known; /* a rule says so */
	bool tee;	   /* also made natively */
	bool tee_known;	   /* a rule says so, or that it is not */
	int8_t level;
	bool level_known;  /* a rule says so */
	uint8_t depth;	   /* 0: as usual */
	uint8_t redaction; /* enum rule_redaction */
	bool trigger;
	bool by_stack; /* a rule asked for the stack: it may be another one */
	/* for the next call from the same place */
	/* Bit n: argument n + 1 of the format, as the caller passes them, stars
	 * count; all ones: every one, and texts without any. */
	uint64_t redacted;
	uint32_t rate;	  /* at most so many ... */
	uint64_t rate_ns; /* ... in that time; rate 0: any number */
	uint32_t sample;  /* one in so many; 0: all */
	/* 0: in turn; else requests are kept whole: SAMPLE_BY_THREAD, or by the
	 * value of this argument, counted as in struct rule_mark. */
	uint8_t sample_by;
	bool sample_per_level; /* `sample` is for debug, its square for trace */
	uint64_t window_ns;
	uint64_t period_ns; /* 0: always */
	uint64_t before_ns; /* of the trigger; 0: as much as there is */
	uint64_t after_ns;
	/* What else it takes: so much time since the mark; 0: nothing. */
	struct rule_mark since;
	uint64_t over_ns;
	uint32_t trigger_start; /* its rule, in the text of all */
	uint32_t trigger_bytes;
	struct rule_mark mark; /* that these calls set */
	uint32_t rule; /* the number, from 1, of the one that limits; 0: none */
	const char *category; /* in the text of the rules; null: none */
	size_t category_bytes;
};

/* Where a text is wrong; lines and columns count from 1. */
struct rules_error {
	unsigned line;
	unsigned column;
	unsigned bytes; /* of the word that is wrong, from there on */
	const char *what;
	const char *why; /* and what to do */
};

struct rules;

/* Memory that is certainly enough for any text of so many bytes. */
size_t rules_bytes(size_t text_bytes);

/* Likewise for this text: much less. */
size_t rules_room(const char *text, size_t bytes);

/*
 * Takes a text apart, into `memory`, which is aligned as malloc's and of
 * rules_room() or rules_bytes().  The rules point into the text, which has to
 * stay. Null: it is wrong, see *error, or there is no room.
 */
struct rules *rules_parse(const char *text, size_t bytes, void *memory,
	size_t room, struct rules_error *error);

/*
 * Of a text that is wrong: all rules become blanks but those that are right and
 * redact something, since a secret that is written down cannot be taken back.
 * False: there are none.  `memory` is as for all of the text.
 */
bool rules_keep_redacting(char *text, size_t bytes, void *memory, size_t room);

unsigned rules_count(const struct rules *rules);

/*
 * What of a site their conditions are about that may differ from one call from
 * there to the next; and whether there are some about the source, which a
 * process cannot know: they do not match.
 */
#define RULES_ASK_THREAD 1u
#define RULES_ASK_STREAM 2u
#define RULES_ASK_LEVEL 4u
#define RULES_ASK_SOURCE 8u
#define RULES_ASK_TRIGGER 16u /* not a condition: some rule is a trigger */
unsigned rules_ask(const struct rules *rules);

/* Whether they ask for the stack: cheap. */
bool rules_ask_stack(const struct rules *rules);

/* False if it is certain that rules_have_frame() does not: by the lowest bits
 * of its return address less 1, which are those of its offset.  Very cheap. */
bool rules_may_have_frame(const struct rules *rules, uint64_t address);

/* Whether some rule has a call in this place lead to what it is about. */
bool rules_have_frame(
	const struct rules *rules, const struct rule_frame *frame);

/*
 * What they say of a site, all of *decided.  Thread-safe.  Less than a
 * millisecond for 10,000 rules.
 */
void rules_decide(const struct rules *rules, const struct rule_site *site,
	struct rule_decision *decided);

#endif

/*
 * Times between two places, for rules that say `mark` and `trigger since`: when
 * each mark was set last, by the thread or by the value of an argument.  Called
 * by site_call.c, after a call was recorded for which there is such a rule.  A
 * table of fixed size for each process, empty in a child of fork; lock-free,
 * async-signal-safe, no memory but at its first use.
 */
#ifndef SHIM_MARK_H
#define SHIM_MARK_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "rules/rules.h"
#include "shim/writer/plan.h"

/* Among so many, a mark finds room in one of MARK_WAYS slots; if all are
 * taken, the one that was set first is forgotten. */
#define MARK_TABLE 4096u
#define MARK_WAYS 8u

struct mark_table;

/* What a mark is found by: its name, and whose it is. */
uint64_t mark_of_thread(const struct rule_mark *mark, uint32_t tid);

/* 0: the call has no such argument.  `plan` is that of its format. */
uint64_t mark_of_argument(const struct rule_mark *mark, const struct plan *plan,
	va_list arguments);

/* Sets it anew, if it was set before. */
void mark_set(struct mark_table *table, uint64_t key, uint64_t ticks);

/* When it was set; 0: it was not, or was taken since. */
uint64_t mark_take(struct mark_table *table, uint64_t key);

/* A key: somebody is about to change the slot. */
#define MARK_BUSY 1u

/* All zeros is empty. */
struct mark_slot {
	uint64_t key; /* 0: it is free */
	uint64_t ticks;
};

struct mark_table {
	struct mark_slot slot[MARK_TABLE];
};

#endif

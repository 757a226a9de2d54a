/*
 * Values in rules: numbers, times, levels, places.  Called by the parser.
 * Freestanding.  Each takes all of the text, or says false.
 */
#ifndef RULES_RULE_VALUE_H
#define RULES_RULE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool rule_value_number(const char *text, size_t bytes, uint64_t *number);

/* `0x1f`. */
bool rule_value_offset(const char *text, size_t bytes, uint64_t *offset);

/* `10ms`, in nanoseconds: at most 292 years. */
bool rule_value_time(const char *text, size_t bytes, uint64_t *ns);

/* `N`, `N-M`, `N-`, `-M`: up to UINT32_MAX. */
bool rule_value_lines(
	const char *text, size_t bytes, uint32_t *low, uint32_t *high);

/*
 * `err`: that and all that is more important; `err-debug`, also with two dots.
 * *is_range tells which.
 */
bool rule_value_levels(const char *text, size_t bytes, uint32_t *low,
	uint32_t *high, bool *is_range);

/* The first such character, or `bytes`. */
size_t rule_value_find(const char *text, size_t bytes, char c);

#endif

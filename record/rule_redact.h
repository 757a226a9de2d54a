/*
 * Which arguments of a format are to be left out, by their names.  Called by
 * rules_decide().  Freestanding.
 *
 * Each returns bits: bit n is argument n + 1; all ones for every one, when one
 * of them has no bit, or when the format is not defined from there on.
 */
#ifndef RECORD_RULE_REDACT_H
#define RECORD_RULE_REDACT_H

#include <stddef.h>
#include <stdint.h>

#define RULE_REDACT_ALL UINT64_MAX

/* Those of this name, in capital letters or not. */
uint64_t rule_redact_named(
	const char *format, size_t bytes, const char *name, size_t name_bytes);

/* Those whose names are in secret_words.def, and the password of a URL. */
uint64_t rule_redact_usual(const char *format, size_t bytes);

#endif

/*
 * Which arguments of a format are to be left out, by their names.  Called by
 * rules_decide().  Freestanding.
 *
 * Each returns bits: bit n is argument n + 1; all ones for every one, when one
 * of them has no bit, or when the format is not defined from there on.
 */
#ifndef RULES_RULE_REDACT_H
#define RULES_RULE_REDACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RULE_REDACT_ALL UINT64_MAX

/* Those of this name, in capital letters or not. */
uint64_t rule_redact_named(
	const char *format, size_t bytes, const char *name, size_t name_bytes);

/* Those whose names are in secret_words.def, and the password of a URL; of the
 * names all, or those that nobody has to ask for. */
enum rule_usual { RULE_USUAL_COPIES, RULE_USUAL_ALL };
uint64_t rule_redact_usual(
	const char *format, size_t bytes, enum rule_usual names);

/* Whether a "%s" is one of RULE_USUAL_COPIES: by the text before it, from the
 * directive before that on, and what comes after it, '\0' if nothing. */
bool rule_redact_is_usual(const char *before, size_t bytes, char after);

#endif

/*
 * The text of a configuration file, binlog.conf(5), taken apart: settings,
 * rules, and outputs for reading.  Called by the library, which passes over
 * what is wrong, and by the tools, which say so.  Freestanding; points into the
 * text, keeps nothing.
 */
#ifndef RULES_CONFIG_H
#define RULES_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

enum config_kind {
	CONFIG_SETTING, /* `key = value` before all sections */
	CONFIG_RULES,	/* all of the section [rules] */
	CONFIG_OUTPUT,	/* a section [output NAME] begins */
	CONFIG_FIELD,	/* `key = value` in it */
	CONFIG_WRONG,
};

enum config_key {
#define CONFIG_KEY(key, value, what) CONFIG_##key,
#include "rules/config_keys.def"
#undef CONFIG_KEY
	CONFIG_KEYS,
};

struct config_text {
	const char *text;
	size_t bytes;
	unsigned line; /* these count from 1 */
	unsigned column;
};

struct config_entry {
	enum config_kind kind;
	enum config_key setting; /* of SETTING */
	struct config_text name; /* of OUTPUT, FIELD: that of the output */
	struct config_text key;	 /* of SETTING, FIELD; of WRONG: what */
	/* Of SETTING, FIELD, without quotes around it; of RULES the lines, for
	 * rules_parse(): its line 1 is value.line. */
	struct config_text value;
	const char *wrong; /* of WRONG: why, and what to do */
};

/* Set up by config_begin(); keep it to yourself. */
struct config {
	const char *at;
	const char *end;
	unsigned line;
	unsigned section;
	bool has_rules;
	struct config_text name;
};

void config_begin(struct config *config, const char *text, size_t bytes);

/* The next entry; false at the end. */
bool config_next(struct config *config, struct config_entry *entry);

#endif

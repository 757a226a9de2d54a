/*
 * Any bytes as a configuration file: every part of an entry is in the text, at
 * the line and column that it says, and no later than those of the next entry.
 */
#include <string.h>

#include "rules/config.h"
#include "tests/fuzz/fuzz.h"

static const char *text, *end;

static const char *line_start(unsigned line)
{
	const char *at = text;

	for (; line > 1; line--) {
		at = memchr(at, '\n', (size_t)(end - at));
		FUZZ_CHECK(at);
		at++;
	}
	return at;
}

static void check_part(const struct config_text *part)
{
	if (!part->text || (part->bytes == 0 && part->text == end))
		return;
	FUZZ_CHECK(part->text >= text && part->text <= end);
	FUZZ_CHECK(part->bytes <= (size_t)(end - part->text));
	FUZZ_CHECK(line_start(part->line) + part->column - 1 == part->text);
}

static void check_entry(const struct config_entry *entry)
{
	check_part(&entry->name);
	check_part(&entry->key);
	check_part(&entry->value);
	switch (entry->kind) {
	case CONFIG_SETTING:
		FUZZ_CHECK(entry->setting < CONFIG_KEYS);
		__attribute__((fallthrough));
	case CONFIG_FIELD:
		FUZZ_CHECK(entry->key.bytes > 0 && entry->value.text);
		break;
	case CONFIG_RULES:
		FUZZ_CHECK(entry->value.text);
		break;
	case CONFIG_OUTPUT:
		FUZZ_CHECK(entry->name.text);
		break;
	case CONFIG_WRONG:
		FUZZ_CHECK(entry->wrong && entry->key.text);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct config_entry entry;
	struct config config;
	const char *before;
	int rules = 0;

	text = (const char *)data;
	end = text + size;
	config_begin(&config, text, size);
	for (before = text; config_next(&config, &entry); before = config.at) {
		check_entry(&entry);
		rules += entry.kind == CONFIG_RULES;
		FUZZ_CHECK(config.at > before || entry.kind == CONFIG_RULES);
	}
	FUZZ_CHECK(config.at == end && rules <= 1);
	FUZZ_CHECK(!config_next(&config, &entry));
	return 0;
}

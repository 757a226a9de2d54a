#include "decoder/show/output_config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "rules/config.h"
#include "rules/rules.h"

/* The section that is read. */
struct section {
	struct outputs *outputs;
	const struct options *common;
	struct config_text name;
	struct options *options; /* null: none has begun */
	const char *path;	 /* null: not said yet */
};

static bool complain(const struct section *section,
	const struct config_text *at, const char *what, const char *why)
{
	struct outputs *outputs = section->outputs;

	snprintf(outputs->problem, sizeof(outputs->problem),
		"%s:%u:%u: %.*s: %s", section->common->config, at->line,
		at->column, what ? (int)strlen(what) : (int)at->bytes,
		what ? what : at->text, why);
	return false;
}

static bool complain_of_file(
	struct outputs *outputs, const char *path, const char *why)
{
	snprintf(outputs->problem, sizeof(outputs->problem),
		"%s: not read: %s: give a file of sections [output NAME]", path,
		why);
	return false;
}

/* What ends the section, or the file. */
static bool end_section(struct section *section)
{
	struct outputs *outputs = section->outputs;
	bool standard = section->path && strcmp(section->path, "-") == 0;
	const char *wrong;

	if (!section->options)
		return true;
	if (!section->path)
		return complain(section, &section->name, NULL,
			"nothing says where to: give to = PATH, or to = -");
	if (!options_fit(section->options))
		return complain(section, &section->name, NULL,
			section->options->problem);
	wrong = outputs_add(
		outputs, section->options, standard ? NULL : section->path);
	return !wrong || complain(section, &section->name, NULL, wrong);
}

static bool begin_section(
	struct section *section, const struct config_entry *entry)
{
	if (!end_section(section))
		return false;
	section->name = entry->name;
	section->path = NULL;
	section->options =
		pool_take(&section->outputs->kept, sizeof(*section->options));
	if (!section->options)
		return complain(section, &entry->name, NULL, "out of memory");
	*section->options = *section->common;
	return true;
}

static bool take_field(
	struct section *section, const struct config_entry *entry)
{
	char *key = strndup(entry->key.text, entry->key.bytes);
	char *value = pool_copy(
		&section->outputs->kept, entry->value.text, entry->value.bytes);
	const char *wrong = NULL;

	if (!key || !value)
		wrong = "out of memory";
	else if (strcmp(key, "to") == 0)
		section->path = value;
	else
		wrong = options_set(section->options, key, value);
	free(key);
	return !wrong || complain(section, &entry->key, NULL, wrong);
}

/* For categories. */
static bool take_rules(
	struct section *section, const struct config_entry *entry)
{
	const struct config_text *text = &entry->value;
	size_t room = rules_room(text->text, text->bytes);
	void *memory = malloc(room);
	struct rules_error error = {0};

	if (memory)
		section->outputs->rules = rules_parse(
			text->text, text->bytes, memory, room, &error);
	if (section->outputs->rules)
		return true;
	free(memory);
	return complain(section,
		&(struct config_text){
			.line = text->line + error.line - (error.line > 0),
			.column = error.column,
		},
		error.what ? error.what : "[rules]",
		error.why ? error.why : "out of memory");
}

static bool take(struct section *section, const struct config_entry *entry)
{
	switch (entry->kind) {
	case CONFIG_OUTPUT:
		return begin_section(section, entry);
	case CONFIG_FIELD:
		return take_field(section, entry);
	case CONFIG_RULES:
		return take_rules(section, entry);
	case CONFIG_WRONG:
		return complain(section, &entry->key, NULL, entry->wrong);
	default:
		return true; /* of the library */
	}
}

/* Null: errno. */
static char *read_text(struct pool *pool, const char *path, size_t *bytes)
{
	char *text = pool_take(pool, LIMITS_CONFIG_BYTES);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : 0;

	*bytes = 0;
	while (text && fd >= 0 && *bytes < LIMITS_CONFIG_BYTES) {
		n = read(fd, text + *bytes, LIMITS_CONFIG_BYTES - *bytes);
		if (n <= 0)
			break;
		*bytes += (size_t)n;
	}
	if (fd >= 0)
		close(fd);
	if (text && n >= 0 && *bytes < LIMITS_CONFIG_BYTES)
		return text;
	if (text && n > 0)
		errno = EFBIG;
	return NULL;
}

bool output_config_read(struct outputs *outputs, const struct options *options)
{
	struct section section = {.outputs = outputs, .common = options};
	struct config_entry entry;
	struct config config;
	size_t bytes;
	char *text = read_text(&outputs->kept, options->config, &bytes);

	if (!text)
		return complain_of_file(
			outputs, options->config, strerror(errno));
	config_begin(&config, text, bytes);
	while (config_next(&config, &entry))
		if (!take(&section, &entry))
			return false;
	if (!end_section(&section))
		return false;
	return outputs->count > 0 ||
	       complain_of_file(outputs, options->config,
		       "there is no section [output NAME]");
}

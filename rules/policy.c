#include "rules/policy.h"

static const struct {
	const char *name;
	unsigned streams;
} stream_names[] = {
	{"stdout", POLICY_STDOUT},
	{"stderr", POLICY_STDERR},
	{"syslog", POLICY_SYSLOG},
	{"all", POLICY_STDOUT | POLICY_STDERR | POLICY_SYSLOG},
};

static const char mode_names[][8] = {
	[POLICY_AUTO] = "auto",
	[POLICY_REPLACE] = "replace",
	[POLICY_TEE] = "tee",
	[POLICY_PASS] = "pass",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool is(const char *name, const char *text, size_t bytes)
{
	size_t i = 0;

	while (i < bytes && name[i] != '\0' && name[i] == text[i])
		i++;
	return i == bytes && name[i] == '\0';
}

static bool read_mode(struct policy_item *item, const char *text, size_t bytes)
{
	for (size_t i = 0; i < COUNT(mode_names); i++)
		if (is(mode_names[i], text, bytes)) {
			item->mode = (enum policy_mode)i;
			return true;
		}
	return false;
}

/* The offset of the last '=', or `bytes`: a glob may have one, too. */
static size_t find_mode(const char *text, size_t bytes)
{
	for (size_t i = bytes; i > 0; i--)
		if (text[i - 1] == '=')
			return i - 1;
	return bytes;
}

static const char *read_item(struct policy_item *item)
{
	size_t name = find_mode(item->text, item->bytes);
	bool has_mode = name < item->bytes;

	if (name >= 5 && is("file:", item->text, 5)) {
		item->glob = item->text + 5;
		item->glob_bytes = name - 5;
		if (name == 5)
			return "no file is named: give file:GLOB=MODE";
	} else {
		for (size_t i = 0; i < COUNT(stream_names); i++)
			if (is(stream_names[i].name, item->text, name))
				item->streams = stream_names[i].streams;
		if (!item->streams)
			return "no such stream: give stdout, stderr, syslog, "
			       "file:GLOB or all";
		if (!has_mode)
			return "no mode: give STREAM=MODE";
	}
	if (has_mode &&
		!read_mode(item, item->text + name + 1, item->bytes - name - 1))
		return "no such mode: give auto, replace, tee or pass";
	return NULL;
}

bool policy_next(const char **list, struct policy_item *item)
{
	const char *at = *list;

	while (*at == ',')
		at++;
	*item = (struct policy_item){.text = at};
	while (*at != '\0' && *at != ',')
		at++;
	*list = at;
	item->bytes = (size_t)(at - item->text);
	if (item->bytes > 0)
		item->wrong = read_item(item);
	return item->bytes > 0;
}

const char *policy_mode_name(enum policy_mode mode)
{
	return mode_names[mode];
}

#include "tools/top/top_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/limits.h"
#include "record/hash.h"
#include "symbolizer/symbolizer.h"
#include "tools/top/top_captures.h"

/* More answers are not kept: then all are asked for again. */
#define ANSWERS_MAX ((size_t)4096)
#define SLOTS (2 * ANSWERS_MAX)
/* Bytes of what is shown. */
#define ANSWER_BYTES 96u

struct answer {
	char *module; /* null: free */
	uint64_t offset;
	char text[ANSWER_BYTES];
};

struct top_names {
	struct symbolizer *symbolizer;
	struct answer *answers; /* a hash table */
	size_t count;
	uint64_t until;
	char *cache;
	char text[ANSWER_BYTES];
};

struct top_names *top_names_new(void)
{
	struct top_names *names = calloc(1, sizeof(*names));
	struct symbolizer_options options = {0};

	if (!names)
		return NULL;
	names->cache = symbolizer_usual_cache();
	options.cache = names->cache;
	limits_for_symbols(&options.memory_bytes, &options.seconds);
	names->symbolizer = symbolizer_new(&options);
	names->answers = calloc(SLOTS, sizeof(*names->answers));
	if (names->symbolizer && names->answers)
		return names;
	top_names_free(names);
	return NULL;
}

void top_names_allow(struct top_names *names, uint64_t most_ns)
{
	names->until = top_now() + most_ns;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Escaped, and cut off at a whole character. */
static void copy_safe(char text[ANSWER_BYTES], const char *raw)
{
	struct render_buffer out = {0};
	size_t length;

	escape_put(&out, raw, strlen(raw), ESCAPE_NEWLINE);
	length = out.length < ANSWER_BYTES ? out.length : ANSWER_BYTES - 1;
	while (length > 0 && length < out.length &&
		((unsigned char)out.data[length] & 0xc0) == 0x80)
		length--;
	if (length > 0)
		memcpy(text, out.data, length);
	text[length] = '\0';
	render_buffer_free(&out);
}

/* The innermost one that is no wrapper; the first is what there is else. */
static void take_frame(void *closure, const struct symbolizer_frame *frame)
{
	char *text = closure;
	char raw[ANSWER_BYTES];

	if (*text != '\0' || !frame->function || frame->wrapper)
		return;
	if (frame->file)
		snprintf(raw, sizeof(raw), "%.50s %.30s:%u", frame->function,
			last_part(frame->file), frame->line);
	else
		snprintf(raw, sizeof(raw), "%.80s", frame->function);
	copy_safe(text, raw);
}

static void put_place(char text[ANSWER_BYTES], const struct status_site *site)
{
	char raw[ANSWER_BYTES];

	if (site->module)
		snprintf(raw, sizeof(raw), "%.60s+0x%" PRIx64,
			last_part(site->module), site->offset);
	else
		snprintf(raw, sizeof(raw), "0x%" PRIx64, site->offset);
	copy_safe(text, raw);
}

static void ask(struct top_names *names, const struct status_site *site,
	char text[ANSWER_BYTES])
{
	const struct symbolizer_module module = {
		.path = site->module,
		.build_id = site->build_id_bytes > 0 ? site->build_id : NULL,
		.build_id_bytes = site->build_id_bytes,
	};

	*text = '\0';
	symbolizer_resolve(
		names->symbolizer, &module, site->offset, take_frame, text);
	if (*text == '\0')
		put_place(text, site);
}

static struct answer *slot_of(
	struct top_names *names, const struct status_site *site)
{
	uint64_t hash = binlog_hash(site->module, strlen(site->module));
	size_t i = (size_t)binlog_hash_word(hash, site->offset) % SLOTS;

	while (names->answers[i].module &&
		(names->answers[i].offset != site->offset ||
			strcmp(names->answers[i].module, site->module) != 0))
		i = (i + 1) % SLOTS;
	return &names->answers[i];
}

static void forget(struct top_names *names)
{
	size_t i;

	for (i = 0; i < SLOTS; i++)
		free(names->answers[i].module);
	memset(names->answers, 0, SLOTS * sizeof(*names->answers));
	names->count = 0;
}

const char *top_names_caller(
	struct top_names *names, const struct status_site *site)
{
	struct answer *answer = site->module ? slot_of(names, site) : NULL;

	if (answer && answer->module)
		return answer->text;
	if (!answer || top_now() >= names->until) {
		put_place(names->text, site);
		return names->text;
	}
	if (names->count == ANSWERS_MAX) {
		forget(names);
		answer = slot_of(names, site);
	}
	ask(names, site, names->text);
	answer->module = strdup(site->module);
	if (!answer->module)
		return names->text;
	names->count++;
	answer->offset = site->offset;
	memcpy(answer->text, names->text, ANSWER_BYTES);
	return answer->text;
}

void top_names_free(struct top_names *names)
{
	if (!names)
		return;
	if (names->answers)
		forget(names);
	free(names->answers);
	symbolizer_free(names->symbolizer);
	free(names->cache);
	free(names);
}

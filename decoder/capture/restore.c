#include "decoder/capture/restore.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/limits.h"
#include "decoder/capture/program_file.h"
#include "record/format.h"
#include "record/hash.h"

/* Files that a process of its own each may be reading. */
#define AWAKE_MAX 6

struct restore {
	struct symbolizer_options options;
	const char *const *executables;
	struct program_file *files[LIMITS_FORMAT_FILES];
	size_t file_count;
	struct program_file *awake[AWAKE_MAX]; /* used last first, or null */
	char *complaints[RESTORE_COMPLAINTS_MAX];
	size_t complaint_count;
	char *cache;
};

static uint64_t hash(const void *data, size_t size)
{
	return binlog_hash(data, size);
}

struct restore *restore_new(const struct symbolizer_options *options,
	const char *const *executables)
{
	struct restore *restore = calloc(1, sizeof(*restore));

	if (!restore)
		return NULL;
	restore->options = *options;
	restore->executables = executables;
	restore->options.hash = hash;
	return restore;
}

void restore_use_cache(struct restore *restore)
{
	if (!restore->cache)
		restore->cache = symbolizer_usual_cache();
	restore->options.cache = restore->cache;
}

void restore_free(struct restore *restore)
{
	size_t i;

	if (!restore)
		return;
	for (i = 0; i < restore->file_count; i++)
		program_file_close(restore->files[i]);
	for (i = 0; i < restore->complaint_count; i++)
		free(restore->complaints[i]);
	free(restore->cache);
	free(restore);
}

const char *restore_complaint(const struct restore *restore, size_t index)
{
	return index < restore->complaint_count ? restore->complaints[index]
						: NULL;
}

static void complain(struct restore *restore, const char *sentence)
{
	struct render_buffer text = {0};

	if (!sentence || restore->complaint_count == RESTORE_COMPLAINTS_MAX)
		return;
	escape_put(&text, sentence, strlen(sentence), ESCAPE_NEWLINE);
	render_buffer_put_byte(&text, '\0');
	if (text.failed)
		render_buffer_free(&text);
	else
		restore->complaints[restore->complaint_count++] = text.data;
}

/* Null: it is not to be had. */
static struct program_file *known_file(
	const struct restore *restore, const struct program_module *module)
{
	size_t i;

	for (i = 0; i < restore->file_count; i++)
		if (program_file_is(restore->files[i], module))
			return restore->files[i];
	return NULL;
}

static struct program_file *add_file(
	struct restore *restore, const struct program_module *module)
{
	struct program_file *file;
	char *complaint;

	if (limits_reached(LIMIT_FORMAT_FILES, restore->file_count))
		return NULL;
	file = program_file_open(
		module, &restore->options, restore->executables, &complaint);
	if (!file) {
		free(complaint);
		return NULL;
	}
	file->complaint = complaint;
	restore->files[restore->file_count++] = file;
	return file;
}

/* It is used now, and another one is not any more. */
static void wake(struct restore *restore, struct program_file *file)
{
	size_t i;

	for (i = 0; i < AWAKE_MAX - 1 && restore->awake[i] != file; i++)
		;
	if (restore->awake[i] && restore->awake[i] != file)
		symbolizer_program_rest(restore->awake[i]->program);
	memmove(restore->awake + 1, restore->awake,
		i * sizeof(restore->awake[0]));
	restore->awake[0] = file;
}

static struct program_file *file_of(struct restore *restore,
	const struct program_module *module, bool matters)
{
	struct program_file *file = known_file(restore, module);

	if (!file)
		file = add_file(restore, module);
	if (file && matters) {
		complain(restore, file->complaint);
		free(file->complaint);
		file->complaint = NULL;
	}
	if (!file || !file->program)
		return NULL;
	if (restore->awake[0] != file)
		wake(restore, file);
	return file;
}

struct program_file *restore_file(struct restore *restore,
	const struct message *message, uint64_t *address, bool matters)
{
	const struct program_module *module = program_module_at(
		message->program, *address, message->context->modules);

	if (!module)
		return NULL;
	*address -= module->bias;
	return file_of(restore, module, matters);
}

static bool is_literal(const struct definition_context *context)
{
	return context->text == BINLOG_TEXT_LITERAL ||
	       context->text == BINLOG_TEXT_LITERAL_LINE;
}

/* A format takes the arguments that were recorded, and has no zero in it. */
static bool fits(const struct definition_context *context, const char *format,
	size_t length)
{
	uint8_t kinds[FORMAT_ARGUMENTS_MAX + 1];
	size_t before = definition_arguments_before(context);
	bool has_errno;
	int count;

	if (memchr(format, '\0', length))
		return false;
	count = format_arguments(format, length, kinds, &has_errno);
	return count >= 0 && before <= context->arguments &&
	       (size_t)count == context->arguments - before &&
	       memcmp(kinds, context->kinds + before, (size_t)count) == 0;
}

/* Of a block of bytes nothing is certain, but that damage leaves zeros. */
static bool is_sound(const struct definition_context *context,
	const struct definition_string *string)
{
	if (!string || !string->bytes)
		return false;
	if (!is_literal(context) && !definition_is_formatted(context))
		return true; /* it is only shown */
	if (!is_literal(context))
		return fits(context, string->bytes, string->length);
	return string->length == 0 || *string->bytes != '\0' ||
	       memcmp(string->bytes, string->bytes + 1, string->length - 1) !=
		       0;
}

/* What is at the address in the definition; a literal has no end of its own. */
static const char *find_by_address(
	struct restore *restore, const struct message *message, size_t *length)
{
	const struct definition_context *context = message->context;
	uint64_t address = context->format->address;
	struct program_file *file;

	if (is_literal(context) && !context->format->bytes)
		return NULL;
	file = restore_file(restore, message, &address, true);
	if (!file)
		return NULL;
	if (!is_literal(context))
		return symbolizer_program_string(
			file->program, address, length);
	*length = context->format->length;
	return symbolizer_program_bytes(file->program, address, *length);
}

/*
 * What the call is given.  If that is what its function was given, it is what
 * the call of the function is given.
 */
static const char *find_by_call(
	struct restore *restore, const struct message *message, size_t *length)
{
	const struct definition_context *context = message->context;
	size_t i;

	for (i = 0; i < context->depth; i++) {
		uint64_t address = context->frames[i] - 1;
		struct program_file *file =
			restore_file(restore, message, &address, true);
		const struct program_file_call *call =
			file ? program_file_call_before(file, address + 1)
			     : NULL;

		if (!call)
			return NULL;
		if (call->text) {
			*length = call->length;
			return call->text;
		}
	}
	return NULL;
}

static const struct definition_string *keep(
	const struct message *message, const char *text, size_t length)
{
	struct definition_string *string =
		pool_take(message->pool, sizeof(*string));

	if (!string)
		return NULL;
	*string = (struct definition_string){
		.bytes = pool_copy(message->pool, text, length),
		.length = length,
	};
	return string->bytes ? string : NULL;
}

static const char *find(
	struct restore *restore, const struct message *message, size_t *length)
{
	const struct definition_string *defined = message->context->format;
	const char *text = NULL;

	if (defined && defined->address)
		text = find_by_address(restore, message, length);
	if (!text)
		text = find_by_call(restore, message, length);
	if (!text || is_literal(message->context) ||
		fits(message->context, text, *length))
		return text;
	return NULL;
}

const struct definition_string *restore_format(
	struct restore *restore, const struct message *message)
{
	const struct definition_string *defined = message->context->format;
	const struct definition_string *found = NULL;
	const char *text;
	size_t length;

	/* Bytes have none, whatever the program may hand to such a call. */
	if (!message->context->has_format ||
		is_sound(message->context, defined))
		return defined;
	text = find(restore, message, &length);
	if (text)
		found = keep(message, text, length);
	if (!found)
		return defined && defined->bytes ? defined : NULL;
	if (!defined || !defined->bytes || defined->length != length ||
		memcmp(defined->bytes, text, length) != 0)
		recording_report(
			message->capture, ERROR_RESTORED, message->offset, 0);
	return found;
}

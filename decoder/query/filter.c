#include "decoder/query/filter.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/capture/by_hand.h"
#include "decoder/message/category.h"
#include "decoder/message/message_level.h"
#include "decoder/names/frames.h"
#include "decoder/query/lines_around.h"
#include "record/format.h"
#include "record/layout.h"
#include "rules/path_glob.h"

/*
 * What a format says of all texts that it makes, before there is one: whether
 * they contain a pattern, and whether they end lines.  Asked by the filters
 * once for each context; promises to be sure of what it says.
 */

/* More work than this is not worth an answer. */
#define STEPS_MAX ((size_t)1 << 22)
/* Padding below this is never cut: see LIMIT_PADDING. */
#define WIDTH_MAX 4096

/* Stands for one byte of a text, or for what a directive makes. */
struct node {
	char byte;
	char conversion; /* 0: it is the byte */
	uint8_t flags;	 /* enum format_flag */
	bool padded;
	bool wide;
};

/* A format as its texts: bytes, and between them anything of some kind. */
struct shape {
	struct node *nodes;
	size_t count;
	size_t room;
	bool known; /* otherwise its texts may be anything */
	bool exact; /* all of the bytes are in every text */
};

static void add_node(struct shape *shape, struct node node)
{
	if (shape->count < shape->room)
		shape->nodes[shape->count++] = node;
	else
		shape->known = false;
}

static void add_bytes(struct shape *shape, const char *bytes, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		add_node(shape, (struct node){.byte = bytes[i]});
}

static bool is_narrow(int columns)
{
	return columns == FORMAT_NONE || columns < WIDTH_MAX;
}

/* A text ends early at a wide character that is none, and after too much. */
static bool is_always_whole(const struct format_directive *directive)
{
	return !(directive->size == FORMAT_LONG &&
		       strchr("cs", directive->conversion)) &&
	       directive->width_argument == FORMAT_NONE &&
	       directive->precision_argument == FORMAT_NONE &&
	       is_narrow(directive->width) && is_narrow(directive->precision);
}

static void add_directive(
	struct shape *shape, const struct format_directive *directive)
{
	struct node node = {
		.conversion = directive->conversion,
		.flags = directive->flags,
		.padded = directive->width != FORMAT_NONE ||
			  directive->width_argument != FORMAT_NONE,
		.wide = directive->size == FORMAT_LONG,
	};

	if (directive->conversion == '%') {
		add_bytes(shape, "%", 1);
	} else if (directive->conversion) {
		add_node(shape, node);
		shape->exact = shape->exact && is_always_whole(directive);
	} else {
		add_bytes(shape, directive->text, directive->length);
	}
}

static void add_format(
	struct shape *shape, const struct definition_string *format)
{
	struct format_directive directive;
	struct format_cursor cursor;

	format_begin(&cursor, format->bytes, format->length);
	while (format_next(&cursor, &directive))
		add_directive(shape, &directive);
	if (cursor.at != cursor.end)
		shape->known = false;
}

/* Whether the format takes what was recorded: otherwise it is damaged. */
static bool fits(const struct definition_context *context,
	const struct definition_string *format)
{
	size_t before = definition_arguments_before(context);
	uint8_t kinds[FORMAT_ARGUMENTS_MAX + 1];
	bool has_errno;
	int count = format_arguments(
		format->bytes, format->length, kinds, &has_errno);

	return count >= 0 && before <= context->arguments &&
	       (size_t)count == context->arguments - before &&
	       memcmp(kinds, context->kinds + before, (size_t)count) == 0 &&
	       !memchr(format->bytes, '\0', format->length);
}

static void add_literal(
	struct shape *shape, const struct definition_string *format)
{
	add_bytes(shape, format->bytes, format->length);
	if (format->length > 0 && format->bytes[0] == '\0')
		shape->known = false; /* it may be damaged */
}

/* False: out of memory, or nothing is known. */
static bool make_shape(struct shape *shape,
	const struct definition_context *context,
	const struct definition_string *format)
{
	*shape = (struct shape){.known = true, .exact = true};
	if (!format || !format->bytes)
		return false;
	shape->room = format->length + 1;
	shape->nodes = calloc(shape->room, sizeof(*shape->nodes));
	if (!shape->nodes)
		return false;
	switch (context->text) {
	case BINLOG_TEXT_FORMAT:
	case BINLOG_TEXT_SYSLOG:
		shape->known = fits(context, format);
		add_format(shape, format);
		break;
	case BINLOG_TEXT_LITERAL_LINE:
	case BINLOG_TEXT_LITERAL:
		add_literal(shape, format);
		if (context->text == BINLOG_TEXT_LITERAL_LINE)
			add_bytes(shape, "\n", 1);
		break;
	default:
		shape->known = false;
	}
	if (!shape->known)
		free(shape->nodes);
	return shape->known;
}

static bool format_is_among(char c, const char *bytes)
{
	return c != '\0' && strchr(bytes, c);
}

/* What stands for infinite and for no number; and the digits of %a. */
static bool float_can_make(char conversion, char c)
{
	switch (conversion) {
	case 'f':
		return format_is_among(c, ".0123456789infa");
	case 'F':
		return format_is_among(c, ".0123456789INFA");
	case 'a':
		return format_is_among(c, "+.0123456789abcdefinpx");
	case 'A':
		return format_is_among(c, "+.0123456789ABCDEFINPX");
	case 'e':
	case 'g':
		return format_is_among(c, "+.0123456789einfa");
	}
	return format_is_among(c, "+.0123456789EINFA");
}

/* Whether the directive can make this byte. */
static bool can_make(const struct node *node, bool named, char c)
{
	bool alternate = node->flags & FORMAT_ALTERNATE;

	if (c == ' ' && (node->padded || node->flags & FORMAT_SPACE))
		return true;
	if (c == '+' && node->flags & FORMAT_PLUS)
		return true;
	switch (node->conversion) {
	case 'd':
		return format_is_among(c, "-0123456789");
	case 'u':
		return format_is_among(c, "0123456789");
	case 'o':
		return format_is_among(c, "01234567");
	case 'x':
		return format_is_among(c, "0123456789abcdef") ||
		       (alternate && c == 'x');
	case 'X':
		return format_is_among(c, "0123456789ABCDEF") ||
		       (alternate && c == 'X');
	case 'b':
	case 'B':
		return format_is_among(c, "01") ||
		       (alternate && c == node->conversion);
	case 'p':
		return named || format_is_among(c, "0123456789abcdefx(nil)");
	case 'n':
		return false;
	}
	if (format_is_among(node->conversion, "eEfFgGaA"))
		return c == '-' || float_can_make(node->conversion, c);
	return true;
}

static char fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool takes(const struct node *node, char c, bool folds, bool named)
{
	char capital = c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;

	if (!node->conversion)
		return folds ? fold(node->byte) == c : node->byte == c;
	return can_make(node, named, c) ||
	       (folds && can_make(node, named, capital));
}

/* One that gives what it is given, or the beginning of it. */
static bool is_string(const struct node *node)
{
	return node->conversion == 's' && !node->wide && !node->padded;
}

/* A directive makes any number of bytes, or none: what is after it is next. */
static void spread(const struct shape *shape, bool *at)
{
	size_t i;

	for (i = 0; i < shape->count; i++)
		at[i + 1] |= at[i] && shape->nodes[i].conversion;
}

/* What can come after a string is next. */
static void add_after_strings(const struct shape *shape, bool *at)
{
	size_t i;

	for (i = 0; i < shape->count; i++)
		at[i + 1] |= is_string(&shape->nodes[i]);
	spread(shape, at);
}

/* The next byte of a needle; its first one is not made by a string. */
static void step(const struct shape *shape, bool *at, char c, bool first,
	bool folds, bool named)
{
	const struct node *nodes = shape->nodes;
	bool takes_before = false;
	size_t i;

	for (i = 0; i <= shape->count; i++) {
		bool taken = i < shape->count && at[i] &&
			     !(first && is_string(&nodes[i])) &&
			     takes(&nodes[i], c, folds, named);

		at[i] = takes_before || (taken && nodes[i].conversion);
		takes_before = taken && !nodes[i].conversion;
	}
	spread(shape, at);
}

/*
 * Where the needle may be in these texts: from `at[i]` on, what is left of it
 * may be what node i makes, and those after it.  What a single string has made
 * up to here is not counted, until something else goes on.
 */
static enum grep_answer find_needle(const struct shape *shape, bool *at,
	const char *needle, size_t bytes, bool folds, bool named)
{
	enum grep_answer answer = GREP_NEVER;
	size_t i;

	memset(at, 1, shape->count + 1);
	for (i = 0; i < bytes; i++) {
		if (i > 0)
			add_after_strings(shape, at);
		step(shape, at, needle[i], i == 0, folds, named);
	}
	if (memchr(at, 1, shape->count + 1))
		return GREP_DEPENDS;
	for (i = 0; i < shape->count; i++)
		if (is_string(&shape->nodes[i]))
			answer = GREP_IN_STRING;
	return answer;
}

/* Whether the needle is among the bytes that all of these texts have. */
static bool must_contain(
	const struct shape *shape, const char *needle, size_t bytes, bool folds)
{
	size_t i;
	size_t j;

	for (i = 0; i + bytes <= shape->count; i++) {
		for (j = 0; j < bytes; j++)
			if (shape->nodes[i + j].conversion ||
				!takes(&shape->nodes[i + j], needle[j], folds,
					false))
				break;
		if (j == bytes)
			return true;
	}
	return false;
}

static bool has_directives(const struct shape *shape)
{
	size_t i;

	for (i = 0; i < shape->count; i++)
		if (shape->nodes[i].conversion)
			return true;
	return false;
}

/* Of texts that are all the same. */
static enum grep_answer search_constant(
	const struct grep *grep, const struct shape *shape)
{
	size_t bytes = shape->count;
	char *text = malloc(bytes + 1);
	bool found;
	size_t i;

	if (!text)
		return GREP_DEPENDS;
	for (i = 0; i < bytes; i++)
		text[i] = shape->nodes[i].byte;
	bytes -= bytes > 0 && text[bytes - 1] == '\n';
	found = grep_finds(grep, text, bytes);
	free(text);
	return found ? GREP_ALWAYS : GREP_NEVER;
}

static enum grep_answer search_shape(
	const struct grep *grep, const struct shape *shape, bool named)
{
	enum grep_answer answer;
	size_t bytes;
	bool folds;
	bool whole;
	const char *needle = grep_needle(grep, &bytes, &folds, &whole);
	bool *at;

	if (!needle || bytes > STEPS_MAX / (shape->count + 1))
		return GREP_DEPENDS;
	at = malloc(shape->count + 1);
	if (!at)
		return GREP_DEPENDS;
	answer = find_needle(shape, at, needle, bytes, folds, named);
	if (answer == GREP_DEPENDS && whole && shape->exact &&
		needle[bytes - 1] != '\n' &&
		must_contain(shape, needle, bytes, folds))
		answer = GREP_ALWAYS;
	free(at);
	return answer;
}

enum grep_answer grep_format_answer(const struct grep *grep,
	const struct definition_context *context,
	const struct definition_string *format, bool named)
{
	enum grep_answer answer;
	struct shape shape;

	if (!make_shape(&shape, context, format))
		return GREP_DEPENDS;
	answer = has_directives(&shape) || context->text == BINLOG_TEXT_SYSLOG
			 ? search_shape(grep, &shape, named)
			 : search_constant(grep, &shape);
	free(shape.nodes);
	return answer;
}

bool grep_format_ends_line(const struct definition_context *context,
	const struct definition_string *format)
{
	struct shape shape;
	const struct node *last;
	bool ends;

	if (context->flags & BINLOG_CONTEXT_PARTIAL)
		return false;
	switch (context->text) {
	case BINLOG_TEXT_BYTES_LINE:
	case BINLOG_TEXT_PERROR:
	case BINLOG_TEXT_WARN:
	case BINLOG_TEXT_WARNX:
	case BINLOG_TEXT_ERROR:
	case BINLOG_TEXT_SYSLOG:
		return true;
	}
	if (!make_shape(&shape, context, format))
		return false;
	last = shape.count > 0 ? &shape.nodes[shape.count - 1] : NULL;
	ends = last && shape.exact && !last->conversion && last->byte == '\n';
	free(shape.nodes);
	return ends;
}

bool grep_format_is_sound(const struct definition_context *context,
	const struct definition_string *format)
{
	if (context->text == BINLOG_TEXT_LITERAL ||
		context->text == BINLOG_TEXT_LITERAL_LINE)
		return format && format->bytes &&
		       (format->length == 0 || format->bytes[0] != '\0');
	if (!definition_is_formatted(context) || !context->has_format)
		return true;
	return format && format->bytes && fits(context, format);
}

/*
 * What the rules say of all messages with one context, decided once.  Asked by
 * the filters.
 */

static bool matches_any(const struct filter_texts *globs, const char *text)
{
	size_t i;

	for (i = 0; i < globs->count; i++)
		if (fnmatch(globs->texts[i], text, 0) == 0)
			return true;
	return globs->count == 0;
}

/* With or without the newline at its end. */
static bool is_format_asked_for(const struct filter_rules *rules,
	const struct definition_context *context,
	const struct definition_string *format, struct pool *pool)
{
	size_t length;
	char *line;

	if (context->statement)
		format = context->statement->format;
	if (rules->formats.count == 0)
		return true;
	if (!format || !format->bytes)
		return false;
	if (matches_any(&rules->formats, format->bytes))
		return true;
	length = format->length;
	if (length == 0 || format->bytes[length - 1] != '\n')
		return false;
	line = pool_copy(pool, format->bytes, length - 1);
	return line && matches_any(&rules->formats, line);
}

static bool is_function_asked_for(const struct filter_rules *rules,
	const struct definition_string *function)
{
	return rules->functions.count == 0 ||
	       (function && function->bytes &&
		       matches_any(&rules->functions, function->bytes));
}

/* Whether one of the expressions may be true. */
static bool bind(const struct filter_rules *rules,
	const struct definition_context *context,
	const struct definition_string *format, struct pool *pool,
	struct filter_site *site)
{
	bool any = rules->expression_count == 0;
	size_t i;

	for (i = 0; i < rules->expression_count; i++) {
		site->bindings[i] = expression_bind(
			rules->expressions[i], context, format, pool);
		any = any || site->bindings[i];
	}
	return any;
}

static enum grep_answer search(const struct filter_rules *rules,
	const struct definition_context *context,
	const struct definition_string *format)
{
	enum grep_answer best = rules->grep_count == 0 ? GREP_ALWAYS
				: rules->reworded      ? GREP_DEPENDS
						       : GREP_NEVER;
	size_t i;

	/* The text is not that of this format. */
	if (rules->grep_count > 0 && by_hand_is_asked_for())
		return GREP_DEPENDS;
	for (i = 0; i < rules->grep_count && best != GREP_ALWAYS; i++) {
		enum grep_answer answer = grep_format_answer(
			rules->greps[i], context, format, rules->named);

		if (answer > best)
			best = answer;
	}
	return best;
}

struct filter_site *filter_site_new(const struct filter_rules *rules,
	struct definition_context *context,
	const struct definition_string *format, struct pool *pool)
{
	struct filter_site *site = pool_take(
		pool, sizeof(*site) + rules->expression_count *
					      sizeof(site->bindings[0]));

	if (!site)
		return NULL;
	site->chosen = bind(rules, context, format, pool, site) &&
		       is_format_asked_for(rules, context, format, pool) &&
		       is_function_asked_for(rules, context->function);
	site->settled = !rules->levels && !rules->modules.count &&
			!filter_rules_ask_for_locations(rules);
	site->has_level = false;
	site->ends_line = !by_hand_is_asked_for() &&
			  grep_format_ends_line(context, format);
	site->found = search(rules, context, format);
	site->rules = rules;
	site->next = context->filter;
	context->filter = site;
	return site;
}

/* A name alone is asked for in any directory. */
static bool is_file(const struct filter_file *file, const char *path)
{
	const char *slash = strrchr(path, '/');

	return path_glob_matches(file->glob, file->length, path) ||
	       (slash && !memchr(file->glob, '/', file->length) &&
		       path_glob_matches(file->glob, file->length, slash + 1));
}

struct author {
	const struct filter_rules *rules;
	bool asked_for;
};

static bool is_file_asked_for(
	const struct filter_files *files, const struct location *location)
{
	size_t i;

	for (i = 0; location->file && i < files->count; i++)
		if ((files->all[i].line == 0 ||
			    files->all[i].line == location->line) &&
			is_file(&files->all[i], location->file))
			return true;
	return files->count == 0;
}

/* For frames_author(). */
static void take_author(void *closure, const struct location *location)
{
	struct author *author = closure;
	const struct filter_texts *callers = &author->rules->callers;

	author->asked_for =
		is_file_asked_for(&author->rules->files, location) &&
		(callers->count == 0 ||
			(location->function &&
				matches_any(callers, location->function)));
}

static bool is_place_asked_for(
	const struct filter_rules *rules, const struct message *message)
{
	const char *module =
		rules->modules.count > 0 ? category_module(message) : NULL;
	struct author author = {.rules = rules};

	if (rules->modules.count > 0 &&
		!(module && matches_any(&rules->modules, module)))
		return false;
	if (!filter_rules_ask_for_locations(rules))
		return true;
	if (rules->locations && !message_is_event(message))
		frames_author(rules->locations, message, take_author, &author);
	return author.asked_for;
}

/* Of texts that a message gives itself each has its own. */
static void settle_level(
	struct filter_site *site, const struct message *message)
{
	struct message_syslog syslog;

	if (!message_is_event(message) &&
		(message_is_syslog(message, &syslog) ||
			message->context->statement ||
			!message_format(message)))
		return;
	if (site->rules->levels >> message_level(message) & 1)
		site->has_level = true;
	else
		site->chosen = false;
}

/* Decides what can be known only when there is one of the messages. */
static void filter_site_settle(
	struct filter_site *site, const struct message *message)
{
	site->settled = true;
	if (site->chosen)
		site->chosen = is_place_asked_for(site->rules, message);
	if (site->chosen && site->rules->levels != 0)
		settle_level(site, message);
}

static bool matches(const struct filter_glob *glob, const char *path)
{
	return path_glob_matches(glob->text, glob->length, path) ||
	       (glob->real &&
		       path_glob_matches(glob->real, strlen(glob->real), path));
}

static bool file_is_wanted(const struct filter_rules *rules,
	const struct definition_stream *stream)
{
	size_t i;

	for (i = 0; stream && stream->path && i < rules->glob_count; i++)
		if (matches(&rules->globs[i], stream->path))
			return true;
	return false;
}

/* The answer is kept: it is the same for all messages with this context. */
static bool is_wanted_file(
	const struct filter_rules *rules, struct definition_context *context)
{
	uint64_t asked = (uint64_t)1 << 2 * rules->number;
	uint64_t wanted = asked << 1;

	if (!(context->files_wanted & asked))
		context->files_wanted |=
			asked |
			(file_is_wanted(rules, context->stream) ? wanted : 0);
	return context->files_wanted & wanted;
}

bool filter_wants_stream(
	const struct filter_rules *rules, struct definition_context *context)
{
	uint32_t stream = definition_context_stream(context);

	if (rules->streams == 0)
		return true;
	if (!(rules->streams & stream))
		return false;
	return !(stream & BINLOG_STREAM_FILE) || is_wanted_file(rules, context);
}

static bool is_among(const struct filter_numbers *numbers, uint64_t number)
{
	size_t i;

	for (i = 0; i < numbers->count; i++)
		if (numbers->numbers[i] == number)
			return true;
	return numbers->count == 0;
}

static bool is_thread_wanted(
	const struct filter_texts *globs, const char *thread)
{
	size_t i;

	for (i = 0; i < globs->count; i++)
		if (fnmatch(globs->texts[i], thread, 0) == 0)
			return true;
	return globs->count == 0;
}

bool filter_wants_pid(const struct filter_rules *rules, uint32_t pid)
{
	return is_among(&rules->pids, pid);
}

bool filter_wants_thread(const struct filter_rules *rules, uint32_t pid,
	uint32_t tid, const char *thread, uint64_t coroutine)
{

	return is_among(&rules->pids, pid) && is_among(&rules->tids, tid) &&
	       is_thread_wanted(&rules->threads, thread) &&
	       is_among(&rules->coroutines, coroutine);
}

bool filter_asks_for_calls(const struct filter_rules *rules)
{
	return rules->about_threads || rules->streams != 0;
}

bool filter_wants(
	const struct filter_rules *rules, const struct message *message)
{
	if (!filter_asks_for_calls(rules))
		return true;
	return filter_wants_thread(
		       rules, message->pid, message->tid, message->thread,
		       message->coroutine) &&
	       filter_wants_stream(rules, message->context);
}

bool filter_asks_for_text(const struct filter_rules *rules)
{
	return rules && filter_rules_ask_for_text(rules);
}

bool filter_asks_for_lines(const struct filter_rules *rules)
{
	return rules &&
	       (rules->timed || rules->around || filter_asks_for_text(rules));
}

bool filter_is_timely(
	const struct filter_rules *rules, const struct message *message)
{

	return !rules->timed ||
	       (message->wall >= rules->since && message->wall <= rules->until);
}

/* Null: out of memory; then it is shown. */
static const struct filter_site *site_of(
	const struct filter_rules *rules, const struct message *message)
{
	struct definition_context *context = message->context;
	const struct definition_string *format = context->format;
	struct filter_site *site = filter_site_find(context, rules);

	if (!site) {
		if (!grep_format_is_sound(context, format))
			format = message_format(message);
		site = filter_site_new(rules, context, format, message->pool);
	}
	if (site && !site->settled)
		filter_site_settle(site, message);
	return site;
}

static bool has_level(const struct filter_rules *rules,
	const struct filter_site *site, const struct message *message)
{
	return rules->levels == 0 || site->has_level ||
	       rules->levels >> message_level(message) & 1;
}

/* Some have a name of their own, which was given to syslog. */
static bool has_category(
	const struct filter_rules *rules, const struct message *message)
{
	struct render_buffer word = {0};
	bool has = rules->categories.count == 0;

	if (!has && rules->category) {
		category_put(rules->category, message, &word);
		render_buffer_put_byte(&word, '\0');
		has = word.failed || matches_any(&rules->categories, word.data);
		render_buffer_free(&word);
	}
	return has;
}

static bool is_any_true(const struct filter_rules *rules,
	const struct filter_site *site, const struct message *message)
{
	size_t i;

	for (i = 0; i < rules->expression_count; i++)
		if (site->bindings[i] &&
			expression_is_true(rules->expressions[i],
				site->bindings[i], message))
			return true;
	return rules->expression_count == 0;
}

bool filter_chooses(
	const struct filter_rules *rules, const struct message *message)
{
	const struct filter_site *site = site_of(rules, message);

	return !site || (site->chosen && has_level(rules, site, message) &&
				has_category(rules, message) &&
				is_any_true(rules, site, message));
}

bool filter_finds(
	const struct filter_rules *rules, const char *text, size_t bytes)
{
	bool found = rules->grep_count == 0;
	size_t i;

	for (i = 0; i < rules->grep_count && !found; i++)
		found = grep_finds(rules->greps[i], text, bytes);
	if (found && rules->around)
		lines_around_look(rules->around, text, bytes);
	return found;
}

bool filter_wants_line(const struct filter_rules *rules,
	const struct message *message, const char *text, size_t bytes)
{
	return !filter_asks_for_lines(rules) ||
	       (filter_is_timely(rules, message) &&
		       filter_chooses(rules, message) &&
		       filter_finds(rules, text, bytes));
}

/* Whether the texts that the message was given decide that it is not. */
static bool is_in_no_string(
	const struct filter_rules *rules, const struct message *message)
{
	size_t i;
	size_t j;

	for (i = 0; i < message->count; i++) {
		const struct render_argument *argument = &message->arguments[i];

		if (argument->kind != BINLOG_ARG_STRING)
			continue;
		for (j = 0; j < rules->grep_count; j++)
			if (argument->null ||
				grep_may_find(rules->greps[j], argument->data,
					argument->bytes))
				return false;
	}
	return true;
}

static bool is_never_found(const struct filter_rules *rules,
	const struct filter_site *site, const struct message *message)
{
	return filter_site_is_hopeless(site) ||
	       (site->found == GREP_IN_STRING &&
		       is_in_no_string(rules, message));
}

static bool is_found(const struct filter_rules *rules,
	const struct filter_site *site, const struct message *message)
{
	struct render_buffer text = {0};
	bool found;

	if (site && site->found == GREP_ALWAYS)
		return true;
	if (site && is_never_found(rules, site, message))
		return false;
	message_text(message, &text);
	if (text.length > 0 && text.data[text.length - 1] == '\n')
		text.length--;
	found = filter_finds(rules, text.data, text.length);
	render_buffer_free(&text);
	return found;
}

bool filter_selects(
	const struct filter_rules *rules, const struct message *message)
{
	if (!filter_is_timely(rules, message))
		return false;
	if (!filter_asks_for_text(rules))
		return true;
	return !message_is_event(message) && filter_chooses(rules, message) &&
	       is_found(rules, site_of(rules, message), message);
}

bool filter_passes_over(
	const struct filter_rules *rules, const struct message *message)
{
	const struct filter_site *site = site_of(rules, message);

	return site && site->ends_line &&
	       (!filter_is_timely(rules, message) ||
		       is_never_found(rules, site, message) ||
		       !filter_chooses(rules, message));
}

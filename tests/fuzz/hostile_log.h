/*
 * Messages as a hostile program could have recorded them, given to a style:
 * for the targets of the styles.  Formats, arguments, texts and names are of
 * any bytes, as the input decides (random_from()); stacks have names that are
 * not asked of any file.
 */
#ifndef TESTS_FUZZ_HOSTILE_LOG_H
#define TESTS_FUZZ_HOSTILE_LOG_H

#include "decoder/names/symbol_answers.h"
#include "decoder/output/style.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/random_format.h"

#define HOSTILE_CONTEXTS 3u
#define HOSTILE_MESSAGES 6u
#define HOSTILE_FRAMES 4u
#define HOSTILE_CODE 0x400000u
#define HOSTILE_CODE_BYTES 4096u

struct hostile_context {
	struct random_sample sample;
	struct definition_string format;
	struct definition_string function;
	struct definition_stream stream;
	struct definition_context context;
	uint8_t kinds[FORMAT_KINDS_MAX];
	uint64_t frames[HOSTILE_FRAMES];
};

struct hostile_log {
	struct pool pool;
	struct error_list errors;
	struct recording capture;
	struct recording *captures[1];
	struct program_module module;
	struct program program;
	struct symbol_answers names;
	struct hostile_context contexts[HOSTILE_CONTEXTS];
	struct render_argument arguments[FORMAT_KINDS_MAX];
	char before[4][RANDOM_BYTES]; /* of arguments that no format takes */
	struct options options;
	struct output output;
	struct locations *locations; /* of all inputs */
};

static struct hostile_log hostile;

/* What somebody may take for more than text, and any bytes; without NUL. */
static inline const char *hostile_string(void)
{
	static const char *const pieces[] = {"\"", "\\", "'", "`", "\n", "\r",
		"\t", "\x1b[2J", "\x1b]0;x\x07", "\x7f", "\x01", ",", ";", "=",
		" ", "[", "]", "{", "}", "<", ">", "&", "</script>", "<!--",
		"-->", "]]>", "\xc2\x85", "\xc2\x9b", "\xe2\x80\xae",
		"\xe2\x80\xa8", "\xef\xbb\xbf", "\xf4\x8f\xbf\xbf", "\xff",
		"\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "/",
		"..", "$(x)", "%s", "a", "name", "main"};
	char text[256];
	size_t bytes = 0;
	unsigned count = one_in(12) ? below(40) : below(6);

	while (count-- > 0) {
		const char *piece =
			pieces[below(sizeof(pieces) / sizeof(*pieces))];
		size_t length = strlen(piece);

		if (bytes + length > sizeof(text))
			break;
		memcpy(text + bytes, piece, length);
		bytes += length;
	}
	return pool_copy(&hostile.pool, text, bytes);
}

static inline const char *hostile_string_or_null(void)
{
	return one_in(6) ? NULL : hostile_string();
}

/* What an argument is of that stands before those of the format: text.def. */
static inline const char *hostile_kinds_before(uint16_t text)
{
	switch (text) {
	case BINLOG_TEXT_BYTES:
	case BINLOG_TEXT_BYTES_LINE:
	case BINLOG_TEXT_CHARACTERS:
	case BINLOG_TEXT_WARNX:
		return "\5";
	case BINLOG_TEXT_CHARACTER:
		return "\1";
	case BINLOG_TEXT_PERROR:
	case BINLOG_TEXT_WARN:
	case BINLOG_TEXT_ERROR:
		return "\5\1";
	case BINLOG_TEXT_SYSLOG:
	case BINLOG_TEXT_SYSLOG_PERROR:
		return "\1\1\1\5";
	case BINLOG_TEXT_BYTES_AT:
		return "\2\5";
	}
	return text >= BINLOG_EVENT_FIRST ? "\2" : "";
}

static inline uint16_t hostile_text(void)
{
	if (one_in(3))
		return (uint16_t)(one_in(3) ? BINLOG_EVENT_FIRST + below(11)
					    : 1 + below(14));
	return one_in(3) ? BINLOG_TEXT_SYSLOG : BINLOG_TEXT_FORMAT;
}

/* Words that name arguments are in it. */
static inline void hostile_format(struct random_sample *sample)
{
	static const char *const plain[] = {
		"size=%d ", "\"x\": %s", "<a b=%p>", "[%f] ", "arg2=%c"};

	random_any_format(sample);
	if (one_in(3)) {
		random_add(sample, plain[below(5)]);
		sample->count = format_arguments(sample->format, sample->length,
			sample->kinds, &sample->has_errno);
	}
	if (sample->count == FORMAT_NONE) { /* what was recorded is a guess */
		sample->count = (int)below(4);
		for (int i = 0; i < sample->count; i++)
			sample->kinds[i] = (uint8_t)(1 + below(6));
		memset(sample->roles, 0, sizeof(sample->roles));
	} else {
		random_arguments(sample);
	}
}

static inline struct definition_string hostile_definition(const char *string)
{
	return (struct definition_string){
		.bytes = string, .length = string ? strlen(string) : 0};
}

static inline void hostile_make_stream(struct definition_stream *stream)
{
	*stream = (struct definition_stream){
		.id = 1,
		.flags = (uint32_t)random_integer() & 0xff,
		.fd = (int32_t)below(5) - 1,
		.inode = below(3),
		.path = hostile_string_or_null(),
	};
}

/* Answers for all that is asked of these frames: see frames_each(). */
static inline void hostile_name_frames(struct hostile_context *made)
{
	struct symbolizer_frame frames[2];
	struct symbol_question question = {.module = &hostile.module};

	for (size_t i = 0; i < made->context.depth; i++) {
		for (size_t k = 0; k < 2; k++)
			frames[k] = (struct symbolizer_frame){
				.function = hostile_string_or_null(),
				.file = hostile_string_or_null(),
				.line = below(3),
				.offset = below(100),
				.inlined = k == 0 && one_in(2),
				.wrapper = one_in(6)};
		question.address = made->frames[i] - HOSTILE_CODE - 1;
		question.between = false;
		symbol_answers_add(
			&hostile.names, &question, frames, 1 + below(2));
		question.address++;
		question.between = true;
		question.inside =
			i > 0 ? made->frames[i - 1] - 1 - HOSTILE_CODE : 0;
		question.name = i > 0 ? NULL : made->function.bytes;
		frames[0].function = one_in(2) ? NULL : frames[0].function;
		symbol_answers_add(&hostile.names, &question, frames, 1);
	}
}

static inline void hostile_make_context(struct hostile_context *made, size_t id)
{
	uint16_t text = hostile_text();
	const char *before = hostile_kinds_before(text);
	size_t count = strlen(before);

	hostile_format(&made->sample);
	made->format = (struct definition_string){
		.bytes = one_in(20) ? NULL : made->sample.format,
		.length = made->sample.length};
	made->function = hostile_definition(hostile_string_or_null());
	hostile_make_stream(&made->stream);
	memcpy(made->kinds, before, count);
	memcpy(made->kinds + count, made->sample.kinds,
		(size_t)made->sample.count);
	for (size_t i = 0; i < HOSTILE_FRAMES; i++)
		made->frames[i] =
			HOSTILE_CODE + 1 + below(HOSTILE_CODE_BYTES - 1);
	made->context = (struct definition_context){
		.id = (uint32_t)id + 1,
		.text = text,
		.flags = one_in(6) ? BINLOG_CONTEXT_PARTIAL : 0,
		.has_format = !one_in(10),
		.format = &made->format,
		.function = one_in(8) ? NULL : &made->function,
		.stream = one_in(8) ? NULL : &made->stream,
		.frames = made->frames,
		.depth = below(HOSTILE_FRAMES + 1),
		.kinds = made->kinds,
		.arguments = count + (size_t)made->sample.count,
		.usable = true,
		.modules = 1,
	};
	if (!made->context.has_format)
		made->context.format = NULL;
	if (!made->context.function)
		made->function.bytes = NULL;
	hostile_name_frames(made);
}

static inline void hostile_argument_before(size_t index, uint8_t kind)
{
	struct render_argument *argument = &hostile.arguments[index];
	char *data = hostile.before[index];
	const char *string;

	*argument = (struct render_argument){.kind = kind};
	if (kind == BINLOG_ARG_I32) {
		argument->i32 = one_in(2) ? (int32_t)below(200)
					  : (int32_t)random_integer();
	} else if (kind == BINLOG_ARG_I64) {
		argument->i64 = (int64_t)random_integer();
	} else if (one_in(8)) {
		argument->null = true;
	} else if (one_in(2)) {
		argument->data = data;
		argument->bytes = random_string(data);
	} else {
		string = hostile_string();
		argument->data = string;
		argument->bytes = (uint32_t)strlen(string);
	}
}

static inline void hostile_fill_arguments(struct hostile_context *made)
{
	size_t first = made->context.arguments - (size_t)made->sample.count;
	const char *string;

	for (size_t i = 0; i < first; i++)
		hostile_argument_before(i, made->kinds[i]);
	for (int i = 0; i < made->sample.count; i++) {
		struct render_argument *argument = &made->sample.arguments[i];

		random_argument(&made->sample, i);
		if (argument->kind == BINLOG_ARG_STRING && one_in(2)) {
			string = hostile_string();
			argument->data = string;
			argument->bytes = (uint32_t)strlen(string);
			argument->null = false;
		}
		hostile.arguments[first + (size_t)i] = *argument;
	}
}

static inline void hostile_say(const struct style *style, void *state)
{
	bool partial = false;
	struct hostile_context *made = &hostile.contexts[0];
	struct message message = {
		.program = &hostile.program,
		.pool = &hostile.pool,
		.capture = &hostile.capture,
		.arguments = hostile.arguments,
		.pid = hostile.program.pid,
		.thread = "",
		.wall = one_in(8) ? random_integer() : 1700000000000000000u,
	};

	for (unsigned left = 1 + below(HOSTILE_MESSAGES); left > 0; left--) {
		message.continues = partial && !one_in(8);
		if (!message.continues) {
			made = &hostile.contexts[below(HOSTILE_CONTEXTS)];
			message.tid = 1 + below(3);
			message.thread = hostile_string();
			message.core = below(3);
		}
		message.ticks += random_integer() >> below(64);
		message.wall += one_in(20) ? random_integer() : below(1000000);
		message.context = &made->context;
		message.count = made->context.arguments;
		partial = made->context.flags & BINLOG_CONTEXT_PARTIAL &&
			  made->context.text < BINLOG_EVENT_FIRST;
		message.partial = partial;
		hostile_fill_arguments(made);
		style->message(state, &message);
	}
}

static inline void hostile_begin(void)
{
	const char *path = hostile_string();

	hostile.errors = (struct error_list){0};
	hostile.capture = (struct recording){.path = "/capture",
		.fd = -1,
		.packed = true,
		.names = &hostile.names,
		.errors = &hostile.errors};
	hostile.captures[0] = &hostile.capture;
	hostile.module = (struct program_module){.start = HOSTILE_CODE,
		.end = HOSTILE_CODE + 2 * HOSTILE_CODE_BYTES,
		.bias = HOSTILE_CODE,
		.path = path,
		.path_bytes = strlen(path)};
	hostile.program = (struct program){
		.pid = below(2) ? 100 : (uint32_t)random_integer(),
		.name = hostile_string(),
		.executable = hostile_string_or_null(),
		.directory = hostile_string_or_null(),
		.modules = &hostile.module,
		.module_count = 1,
	};
	for (size_t i = 0; i < HOSTILE_CONTEXTS; i++)
		hostile_make_context(&hostile.contexts[i], i);
	if (!hostile.locations)
		hostile.locations = locations_new(&hostile.options.symbols);
	FUZZ_CHECK(hostile.locations);
}

/*
 * What the style shows; valid until the next call.  Options are set in
 * `hostile.options` before; `source` is null but for styles that need one.
 */
static inline const struct render_buffer *hostile_log_show(const char *name,
	const struct source *source, const uint8_t *data, size_t size)
{
	const struct style *style = style_find(name);
	struct style_settings settings = {.options = &hostile.options,
		.output = &hostile.output,
		.utc = true,
		.captures = hostile.captures,
		.capture_count = 1,
		.messages = source};
	void *state;

	FUZZ_CHECK(style);
	random_from(data, size);
	hostile_begin();
	hostile.options.style = name;
	hostile.options.depth = 1 + below(8);
	hostile.output.fd = OUTPUT_KEPT;
	hostile.output.text.length = 0;
	settings.locations = hostile.locations;
	settings.location = one_in(2) ? NULL : settings.locations;
	settings.stack =
		one_in(2) ? NULL
			  : stack_new(settings.locations, hostile.options.depth);
	state = style->begin(&settings);
	FUZZ_CHECK(state);
	hostile_say(style, state);
	style->end(state);
	stack_free(settings.stack);
	symbol_answers_free(&hostile.names);
	pool_free(&hostile.pool);
	/* There may be nothing to show, but then it is said. */
	FUZZ_CHECK(hostile.output.failed == 0 || *hostile.output.problem);
	FUZZ_CHECK(!hostile.output.text.failed);
	hostile.output.failed = 0;
	hostile.output.problem[0] = '\0';
	return &hostile.output.text;
}

#endif

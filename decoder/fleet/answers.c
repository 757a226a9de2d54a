#include "decoder/fleet/answers.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/id_map.h"
#include "base/pool.h"
#include "base/seeded_hash.h"
#include "decoder/message/fields.h"
#include "decoder/names/symbol_answers.h"
#include "record/format.h"
#include "record/layout.h"

/* Where modules are, one after the other, above all that a process has. */
#define MODULES_AT ((uint64_t)1 << 63)
#define MODULE_BITS 40
#define MODULES_MAX ((uint64_t)1 << 22)
#define SYSLOG_ARGUMENTS 4u
#define ARGUMENTS_MAX (SYSLOG_ARGUMENTS + FORMAT_ARGUMENTS_MAX + 1)
#define BUILD_ID_MAX 64u

/* What a text is made of, as far as a row tells it. */
enum shape {
	SHAPE_FORMAT,
	SHAPE_LITERAL,
	SHAPE_LITERAL_LINE,
	SHAPE_BYTES,
	SHAPE_SYSLOG,
	SHAPE_EVENT,
};

struct module {
	uint64_t number; /* from 0 */
	const char *path;
	size_t path_bytes;
	uint8_t build_id[BUILD_ID_MAX];
	size_t build_id_bytes;
	uint64_t content_hash;
};

struct known_statement {
	uint64_t id;
	struct definition_string format;   /* as in the source */
	struct definition_string rendered; /* that takes the arguments */
	struct definition_string call;
	bool has_format;
	bool formatted; /* `rendered` is one, and takes those of the rows */
	const struct definition_statement *statement; /* null: a call */
	const struct module *module;		      /* null: not known */
	uint64_t frame;				      /* 0: not known */
	size_t arguments;			      /* of the rows */
	uint8_t kinds[FORMAT_ARGUMENTS_MAX + 1];
	uint32_t kind_count;
};

struct context {
	struct definition_context context;
	struct definition_stream stream;
	uint64_t frame;
	uint8_t kinds[ARGUMENTS_MAX];
	uint32_t before; /* arguments before those of the format */
};

struct answers {
	struct recording *capture;
	struct symbol_answers names;
	struct pool pool;
	struct known_statement **statements;
	size_t count, room;
	struct id_map by_id;
	struct id_map contexts; /* by a hash of what is told apart */
	struct id_map programs; /* likewise */
	struct id_map modules;	/* likewise */
	uint64_t module_count;
	uint32_t program_count;
	struct known_statement none;
	struct answers_wanted wanted;
	struct message message;
	struct render_argument arguments[ARGUMENTS_MAX];
	long double wide_floats[ARGUMENTS_MAX];
	size_t wide_at[ARGUMENTS_MAX]; /* where in `wide` each begins */
	struct render_buffer wide;     /* characters of wide texts */
	struct render_buffer text;
	struct render_buffer thread;
	bool failed;
};

struct answers *answers_new(struct error_list *errors)
{
	struct answers *answers = calloc(1, sizeof(*answers));

	if (!answers)
		return NULL;
	answers->capture = calloc(1, sizeof(*answers->capture));
	if (!answers->capture) {
		free(answers);
		return NULL;
	}
	answers->capture->path = "?";
	answers->capture->fd = -1;
	answers->capture->packed = true;
	answers->capture->errors = errors;
	answers->capture->names = &answers->names;
	answers->capture->header.clock = BINLOG_CLOCK_MONOTONIC;
	return answers;
}

static struct definition_string copy(
	struct answers *answers, const struct row_value *text)
{
	return (struct definition_string){
		.bytes = pool_copy(&answers->pool, text->bytes, text->count),
		.length = text->count,
	};
}

static bool is_word(const struct row_value *text, const char *word)
{
	return strlen(word) == text->count &&
	       memcmp(text->bytes, word, text->count) == 0;
}

/*
 * Statements.
 */

/* `statements`: columns and their types. */
enum statement_column {
	OF_id,
	OF_format,
	OF_call,
	OF_known,
	OF_module,
	OF_build,
	OF_offset,
	OF_function,
	OF_file,
	OF_line,
	OF_names,
	OF_types,
	STATEMENT_COLUMNS
};

const char *answers_statement_columns(void)
{
	return "id, format, call, known, module, build, offset, function, "
	       "file, line, argument.name, argument.type";
}

const enum fleet_type *answers_statement_types(size_t *count)
{
	static const enum fleet_type types[STATEMENT_COLUMNS] = {
		[OF_id] = FLEET_U64,
		[OF_format] = FLEET_TEXT,
		[OF_call] = FLEET_TEXT,
		[OF_known] = FLEET_TEXT,
		[OF_module] = FLEET_TEXT,
		[OF_build] = FLEET_TEXT,
		[OF_offset] = FLEET_U64,
		[OF_function] = FLEET_TEXT,
		[OF_file] = FLEET_TEXT,
		[OF_line] = FLEET_U32,
		[OF_names] = FLEET_TEXTS,
		[OF_types] = FLEET_TEXTS,
	};

	*count = STATEMENT_COLUMNS;
	return types;
}

static unsigned digit_of(char c)
{
	return c >= '0' && c <= '9'   ? (unsigned)(c - '0')
	       : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
				      : 16;
}

/* A build-id in hexadecimal digits, or `content-` and a hash. */
static void read_build(struct module *module, const struct row_value *build)
{
	static const char content[] = "content-";
	const size_t before = sizeof(content) - 1;
	size_t i;

	if (build->count > before &&
		memcmp(build->bytes, content, before) == 0) {
		for (i = before; i < build->count; i++)
			module->content_hash = module->content_hash << 4 |
					       (digit_of(build->bytes[i]) & 15);
		return;
	}
	for (i = 0;
		i + 1 < build->count && module->build_id_bytes < BUILD_ID_MAX;
		i += 2)
		module->build_id[module->build_id_bytes++] =
			(uint8_t)(digit_of(build->bytes[i]) << 4 |
				  (digit_of(build->bytes[i + 1]) & 15));
}

/* Null: it has no name, or there is no memory for more. */
static const struct module *module_of(struct answers *answers,
	const struct row_value *name, const struct row_value *build)
{
	const uint64_t key = seeded_hash(
		seeded_hash(seeded_hash_start, name->bytes, name->count),
		build->bytes, build->count);
	struct module *module = id_map_find(&answers->modules, key);

	if (module || name->count == 0 || answers->module_count == MODULES_MAX)
		return module;
	module = pool_take(&answers->pool, sizeof(*module));
	if (!module)
		return NULL;
	*module = (struct module){.number = answers->module_count++};
	module->path = pool_copy(&answers->pool, name->bytes, name->count);
	module->path_bytes = name->count;
	read_build(module, build);
	if (!module->path || !id_map_set(&answers->modules, key, module))
		return NULL;
	return module;
}

static uint64_t start_of(const struct module *module)
{
	return MODULES_AT + (module->number << MODULE_BITS);
}

static struct program_module mapping_of(const struct module *module)
{
	const uint64_t start = start_of(module);

	return (struct program_module){
		.start = start,
		.end = start + ((uint64_t)1 << MODULE_BITS),
		.bias = start,
		.content_hash = module->content_hash,
		.path = module->path,
		.path_bytes = module->path_bytes,
		.build_id = module->build_id,
		.build_id_bytes = module->build_id_bytes,
	};
}

/* The place in the source, as if a log had brought it along. */
static void add_names(struct answers *answers,
	const struct known_statement *known, const struct row_value *values)
{
	const struct definition_string function =
		copy(answers, &values[OF_function]);
	const struct definition_string file = copy(answers, &values[OF_file]);
	const struct program_module mapping = mapping_of(known->module);
	const uint64_t offset = known->frame - 1 - mapping.bias;
	const struct symbolizer_frame frame = {
		.function = function.length > 0 ? function.bytes : NULL,
		.file = file.length > 0 ? file.bytes : NULL,
		.line = (unsigned)values[OF_line].number,
	};

	symbol_answers_add(&answers->names,
		&(struct symbol_question){
			.module = &mapping, .address = offset},
		&frame, 1);
	/* and nothing is missing before it */
	symbol_answers_add(&answers->names,
		&(struct symbol_question){
			.module = &mapping,
			.address = offset + 1,
			.between = true,
			.name = known->call.length > 0 ? known->call.bytes
						       : NULL,
		},
		NULL, 0);
}

static void set_place(struct answers *answers, struct known_statement *known,
	const struct row_value *values)
{
	const uint64_t offset = values[OF_offset].number;

	known->module =
		module_of(answers, &values[OF_module], &values[OF_build]);
	if (known->module)
		known->frame = start_of(known->module) +
			       (offset & (((uint64_t)1 << MODULE_BITS) - 1)) +
			       1;
	else if (offset > 0)
		known->frame = offset + 1;
	if (known->module)
		add_names(answers, known, values);
}

/* What prints a value of this type. */
static const char *directive_of(const struct row_value *type)
{
	return is_word(type, "integer")	    ? "%ld"
	       : is_word(type, "unsigned")  ? "%lu"
	       : is_word(type, "character") ? "%c"
	       : is_word(type, "pointer")   ? "%p"
	       : is_word(type, "float")	    ? "%f"
					    : "%s";
}

/* A format whose arguments have these names and types. */
static struct definition_string make_format(
	struct answers *answers, const struct row_value *values)
{
	const char *names = values[OF_names].bytes;
	const char *types = values[OF_types].bytes;
	struct render_buffer *text = &answers->text;
	size_t i;

	text->length = 0;
	for (i = 0; i < values[OF_names].count && i < values[OF_types].count;
		i++) {
		const struct row_value name = row_binary_text(&names);
		const struct row_value type = row_binary_text(&types);
		const bool numbered =
			name.count > 3 && memcmp(name.bytes, "arg", 3) == 0;

		render_buffer_put_byte(text, ' ');
		if (!numbered) {
			render_buffer_put(text, name.bytes, name.count);
			render_buffer_put_byte(text, '=');
		}
		render_buffer_put_string(text, directive_of(&type));
	}
	return (struct definition_string){
		.bytes = pool_copy(&answers->pool, render_buffer_from(text, 0),
			text->length),
		.length = text->length,
	};
}

static const struct definition_statement *make_statement(
	struct answers *answers, const struct known_statement *known,
	const struct row_value *how)
{
	struct definition_statement *made =
		pool_take(&answers->pool, sizeof(*made));

	if (!made)
		return NULL;
	*made = (struct definition_statement){
		.format = &known->format,
		.inner = &known->rendered,
		.sure = is_word(how, "sure"),
		.several = is_word(how, "one of several"),
	};
	return made;
}

static bool takes_arguments(struct known_statement *known)
{
	bool has_errno;
	const int count = format_arguments(known->rendered.bytes,
		known->rendered.length, known->kinds, &has_errno);

	/* of a text that looks like a format the rows have no arguments */
	if (count == FORMAT_NONE || known->arguments > (size_t)count ||
		(known->arguments == 0 && count > 0))
		return false;
	known->kind_count = (uint32_t)count;
	return true;
}

static void set_format(struct answers *answers, struct known_statement *known,
	const struct row_value *values)
{
	known->format = known->rendered = copy(answers, &values[OF_format]);
	known->call = copy(answers, &values[OF_call]);
	known->has_format = known->format.length > 0;
	known->arguments = values[OF_names].count;
	if (!is_word(&values[OF_known], "call")) {
		known->rendered = make_format(answers, values);
		known->statement =
			make_statement(answers, known, &values[OF_known]);
	}
	known->formatted = (known->has_format || known->statement) &&
			   takes_arguments(known);
}

bool answers_add_statement(
	struct answers *answers, const struct row_value *values)
{
	const uint64_t id = values[OF_id].number;
	struct known_statement *known;

	if (id_map_find(&answers->by_id, id))
		return true;
	if (!array_reserve(
		    answers->statements, answers->room, answers->count + 1))
		return false;
	known = pool_take(&answers->pool, sizeof(*known));
	if (!known)
		return false;
	*known = (struct known_statement){.id = id};
	set_format(answers, known, values);
	set_place(answers, known, values);
	answers->statements[answers->count++] = known;
	return id_map_set(&answers->by_id, id, known) && !answers->pool.failed;
}

size_t answers_statement_count(const struct answers *answers)
{
	return answers->count;
}

uint64_t answers_statement_id(const struct answers *answers, size_t i)
{
	return answers->statements[i]->id;
}

/*
 * Contexts.
 */

/* Of several kinds of ends the words tell which one it was, as far as that
 * matters. */
static uint16_t event_of(const struct row_value *values)
{
	const struct row_value *name = &values[ANSWER_event];
	const struct row_value *words = &values[ANSWER_text];

	return is_word(name, "suppressed")  ? BINLOG_TEXT_SUPPRESSED
	       : is_word(name, "window")    ? BINLOG_TEXT_WINDOW
	       : is_word(name, "lost")	    ? BINLOG_TEXT_LOST
	       : is_word(name, "cancelled") ? BINLOG_TEXT_CANCELLED
	       : words->count == 0	    ? BINLOG_TEXT_EXIT
	       : words->bytes[0] == 'k'	    ? BINLOG_TEXT_SIGNAL
	       : is_word(words, "executed another program")
		       ? BINLOG_TEXT_EXECUTE
		       : BINLOG_TEXT_EXIT;
}

static uint16_t text_of(enum shape shape, const struct row_value *values)
{
	switch (shape) {
	case SHAPE_FORMAT:
		return BINLOG_TEXT_FORMAT;
	case SHAPE_LITERAL:
		return BINLOG_TEXT_LITERAL;
	case SHAPE_LITERAL_LINE:
		return BINLOG_TEXT_LITERAL_LINE;
	case SHAPE_SYSLOG:
		return BINLOG_TEXT_SYSLOG;
	case SHAPE_EVENT:
		return event_of(values);
	case SHAPE_BYTES:
		break;
	}
	return BINLOG_TEXT_BYTES;
}

static void fill_stream(struct answers *answers, struct context *made,
	const struct row_value *name)
{
	struct definition_stream *stream = &made->stream;
	const bool fd = name->count > 2 && name->count < 12 &&
			memcmp(name->bytes, "fd", 2) == 0 &&
			name->bytes[2] >= '0' && name->bytes[2] <= '9';

	*stream = (struct definition_stream){.fd = -1};
	made->context.stream = stream;
	if (is_word(name, "stdout")) {
		stream->flags = BINLOG_STREAM_STDOUT;
		stream->fd = 1;
	} else if (is_word(name, "stderr")) {
		stream->flags = BINLOG_STREAM_STDERR;
		stream->fd = 2;
	} else if (is_word(name, "syslog")) {
		stream->flags = BINLOG_STREAM_SYSLOG;
	} else {
		stream->flags = BINLOG_STREAM_FILE;
		stream->inode = seeded_hash(
			seeded_hash_start, name->bytes, name->count);
		if (fd)
			stream->fd = (int32_t)strtol(
				copy(answers, name).bytes + 2, NULL, 10);
		else if (!is_word(name, "?"))
			stream->path = copy(answers, name).bytes;
	}
}

/* Those before the format's, and those of the format. */
static void fill_kinds(struct context *made,
	const struct known_statement *known, enum shape shape)
{
	static const uint8_t before[SYSLOG_ARGUMENTS] = {BINLOG_ARG_I32,
		BINLOG_ARG_I32, BINLOG_ARG_I32, BINLOG_ARG_STRING};
	struct definition_context *context = &made->context;

	context->kinds = made->kinds;
	switch (shape) {
	case SHAPE_BYTES:
		made->kinds[0] = BINLOG_ARG_STRING;
		context->arguments = 1;
		return;
	case SHAPE_EVENT:
		made->kinds[0] = made->kinds[1] = BINLOG_ARG_I64;
		context->arguments = 2;
		return;
	case SHAPE_LITERAL:
	case SHAPE_LITERAL_LINE:
		return;
	case SHAPE_SYSLOG:
		memcpy(made->kinds, before, sizeof(before));
		made->before = SYSLOG_ARGUMENTS;
		break;
	case SHAPE_FORMAT:
		break;
	}
	memcpy(made->kinds + made->before, known->kinds, known->kind_count);
	context->arguments = made->before + known->kind_count;
}

static struct context *make_context(struct answers *answers,
	const struct known_statement *known, enum shape shape,
	const struct row_value *values, unsigned severity)
{
	struct context *made = pool_take(&answers->pool, sizeof(*made));
	struct definition_context *context;

	if (!made)
		return NULL;
	memset(made, 0, sizeof(*made));
	context = &made->context;
	context->text = text_of(shape, values);
	context->flags =
		(uint16_t)((severity + 1) << BINLOG_CONTEXT_LEVEL_SHIFT);
	context->restored = true;
	context->usable = true;
	context->modules = UINT32_MAX;
	if (known->has_format && (shape != SHAPE_BYTES || !known->statement))
		context->format = &known->rendered;
	context->has_format = context->format;
	if (known->call.length > 0)
		context->function = &known->call;
	if (shape == SHAPE_FORMAT || shape == SHAPE_SYSLOG)
		context->statement = (struct definition_statement *)(uintptr_t)
					     known->statement;
	made->frame = known->frame;
	context->frames = &made->frame;
	context->depth = known->frame != 0;
	fill_stream(answers, made, &values[ANSWER_stream]);
	fill_kinds(made, known, shape);
	return made;
}

/* Null: out of memory. */
static struct context *context_of(struct answers *answers,
	const struct known_statement *known, enum shape shape,
	const struct row_value *values, unsigned severity)
{
	const struct row_value *stream = &values[ANSWER_stream];
	uint64_t key = seeded_hash_word(seeded_hash_start, known->id);
	struct context *context;

	key = seeded_hash(key, stream->bytes, stream->count);
	key = seeded_hash_word(
		key, (uint64_t)text_of(shape, values) << 8 | severity);
	context = id_map_find(&answers->contexts, key);
	if (context)
		return context;
	context = make_context(answers, known, shape, values, severity);
	if (!context || answers->pool.failed ||
		!id_map_set(&answers->contexts, key, context))
		return NULL;
	return context;
}

/*
 * Processes.
 */

static struct program *make_program(
	struct answers *answers, const struct row_value *values)
{
	const struct row_value *name = &values[ANSWER_program];
	const struct row_value *host = &values[ANSWER_host];
	struct program_table *table = &answers->capture->programs;
	struct program *program = program_find(table,
		(uint32_t)values[ANSWER_pid].number, ++answers->program_count);

	if (!program)
		return NULL;
	program_set(table, program,
		&(struct program_description){
			.executable = name->bytes,
			.executable_bytes = name->count,
			.directory = "",
			.host = host->bytes,
			.host_bytes = host->count,
		});
	return program_table_lacks(table) ? NULL : program;
}

static struct program *program_of(
	struct answers *answers, const struct row_value *values)
{
	const struct row_value *name = &values[ANSWER_program];
	const struct row_value *host = &values[ANSWER_host];
	uint64_t key =
		seeded_hash_word(seeded_hash_start, values[ANSWER_run].number);
	struct program *program;

	key = seeded_hash_word(key, values[ANSWER_pid].number);
	key = seeded_hash(key, name->bytes, name->count);
	key = seeded_hash_word(key, name->count);
	key = seeded_hash(key, host->bytes, host->count);
	program = id_map_find(&answers->programs, key);
	if (program)
		return program;
	program = make_program(answers, values);
	if (program && !id_map_set(&answers->programs, key, program))
		return NULL;
	return program;
}

/* It has the module of the statement, as the others that have said it. */
static void map_module(struct program *program, struct answers *answers,
	const struct module *module)
{
	const struct program_module mapping = mapping_of(module);

	if (program_module_at(program, mapping.start, UINT32_MAX))
		return;
	program_add_mapping(&answers->capture->programs, program, &mapping);
}

/*
 * Arguments.
 */

/* The characters of a text in UTF-8, as a wide one has them. */
static void put_wide(struct render_buffer *out, const struct row_value *text)
{
	size_t i = 0;

	while (i < text->count) {
		const uint8_t first = (uint8_t)text->bytes[i++];
		uint32_t c = first;
		unsigned more = first >= 0xf0	? 3
				: first >= 0xe0 ? 2
				: first >= 0xc0 ? 1
						: 0;

		if (more > 0)
			c = first & (0x3fu >> more);
		for (; more > 0 && i < text->count; more--)
			c = c << 6 | ((uint8_t)text->bytes[i++] & 63);
		render_buffer_put(out, &c, sizeof(c));
	}
}

static uint32_t character_of(
	struct answers *answers, const struct row_value *text, uint8_t size)
{
	const size_t start = answers->wide.length;
	uint32_t c = 0;

	if (text->count == 0)
		return 0;
	if (size != FORMAT_LONG)
		return (uint8_t)*text->bytes;
	put_wide(&answers->wide, text);
	if (!answers->wide.failed)
		memcpy(&c, answers->wide.data + start, sizeof(c));
	answers->wide.length = start;
	return c;
}

/* From a row; texts in wide characters are put where they stay, behind `wide`.
 */
static void fill_argument(struct answers *answers, const struct field *field,
	const struct row_value *text, uint64_t integer, uint64_t number)
{
	struct render_argument *argument = &answers->arguments[field->argument];
	double value;

	memcpy(&value, &number, sizeof(value));
	if (field->type == FIELD_TEXT)
		argument->null = is_word(text, "(null)");
	switch (field->kind) {
	case BINLOG_ARG_I32:
		argument->i32 = field->type == FIELD_CHARACTER
					? (int32_t)character_of(
						  answers, text, field->size)
					: (int32_t)integer;
		return;
	case BINLOG_ARG_I64:
		argument->i64 = (int64_t)integer;
		return;
	case BINLOG_ARG_F64:
		argument->f64 = value;
		return;
	case BINLOG_ARG_LONG_DOUBLE:
		answers->wide_floats[field->argument] = value;
		argument->data = &answers->wide_floats[field->argument];
		argument->binary128 = __LDBL_MANT_DIG__ == 113;
		return;
	case BINLOG_ARG_WIDE:
		answers->wide_at[field->argument] = answers->wide.length;
		put_wide(&answers->wide, text);
		argument->bytes = (uint32_t)(answers->wide.length -
					     answers->wide_at[field->argument]);
		return;
	}
	argument->data = text->bytes;
	argument->bytes = (uint32_t)text->count;
}

/* Where wide texts are is known when all of them are there. */
static void place_wide(struct answers *answers)
{
	size_t i;

	for (i = 0; i < answers->message.count; i++)
		if (answers->arguments[i].kind == BINLOG_ARG_WIDE &&
			answers->arguments[i].bytes > 0)
			answers->arguments[i].data = render_buffer_from(
				&answers->wide, answers->wide_at[i]);
}

static void fill_arguments(
	struct answers *answers, const struct row_value *values)
{
	const struct fields *fields = fields_of(&answers->message);
	const char *texts = values[ANSWER_argument_text].bytes;
	size_t i;

	answers->wide.length = 0;
	if (fields->count != values[ANSWER_argument_text].count)
		return;
	for (i = 0; i < fields->count; i++) {
		const struct row_value text = row_binary_text(&texts);

		fill_argument(answers, &fields->all[i], &text,
			row_binary_item(&values[ANSWER_argument_integer], i),
			row_binary_item(&values[ANSWER_argument_number], i));
	}
	place_wide(answers);
}

static void clear_arguments(
	struct answers *answers, const struct context *context)
{
	size_t i;

	answers->message.count = context->context.arguments;
	for (i = 0; i < answers->message.count; i++) {
		struct render_argument *argument = &answers->arguments[i];

		*argument = (struct render_argument){.kind = context->kinds[i]};
		if (argument->kind == BINLOG_ARG_STRING ||
			argument->kind == BINLOG_ARG_WIDE)
			argument->data = "";
	}
}

/*
 * Messages.
 */

static const char *const column_names[ANSWER_COLUMNS] = {
#define ANSWER(name) [ANSWER_##name] = #name,
#include "decoder/fleet/answer_columns.def"
#undef ANSWER
};

/* Of one that is not asked for: what stands for it. */
static const char *instead_of(
	const struct answers_wanted *wanted, enum answers_column column)
{
	switch (column) {
	case ANSWER_argument_text:
		return wanted->arguments ? NULL : "emptyArrayString()";
	case ANSWER_argument_integer:
		return wanted->arguments ? NULL : "emptyArrayInt64()";
	case ANSWER_argument_number:
		return wanted->arguments ? NULL : "emptyArrayFloat64()";
	case ANSWER_text:
		return wanted->text ? NULL : "''";
	default:
		return NULL;
	}
}

void answers_message_columns(
	const struct answers_wanted *wanted, struct render_buffer *out)
{
	enum answers_column column;

	for (column = 0; column < ANSWER_COLUMNS; column++) {
		const char *instead = instead_of(wanted, column);
		const char *name = column_names[column];
		const size_t start = out->length + 2;

		render_buffer_put_string(out, column > 0 ? ", " : "");
		render_buffer_put_string(out, instead ? instead : name);
		/* `argument.text` has a dot */
		if (!instead && strncmp(name, "argument_", 9) == 0 &&
			!out->failed)
			out->data[start + 8] = '.';
	}
}

const enum fleet_type *answers_message_types(struct answers *answers,
	const struct answers_wanted *wanted, size_t *count)
{
	static const enum fleet_type types[ANSWER_COLUMNS] = {
		[ANSWER_source] = FLEET_U64,
		[ANSWER_number] = FLEET_U64,
		[ANSWER_time] = FLEET_U64,
		[ANSWER_host] = FLEET_TEXT,
		[ANSWER_run] = FLEET_U64,
		[ANSWER_program] = FLEET_TEXT,
		[ANSWER_pid] = FLEET_U32,
		[ANSWER_tid] = FLEET_U32,
		[ANSWER_thread] = FLEET_TEXT,
		[ANSWER_stream] = FLEET_TEXT,
		[ANSWER_severity] = FLEET_U8,
		[ANSWER_facility] = FLEET_U8,
		[ANSWER_ident] = FLEET_TEXT,
		[ANSWER_event] = FLEET_TEXT,
		[ANSWER_statement] = FLEET_U64,
		[ANSWER_argument_text] = FLEET_TEXTS,
		[ANSWER_argument_integer] = FLEET_INTEGERS,
		[ANSWER_argument_number] = FLEET_NUMBERS,
		[ANSWER_text] = FLEET_TEXT,
	};

	answers->wanted = *wanted;
	*count = ANSWER_COLUMNS;
	return types;
}

/* The text is that of the format, and perhaps a newline. */
static bool is_literal(const struct known_statement *known,
	const struct row_value *text, size_t more)
{
	return text->count == known->format.length + more &&
	       memcmp(text->bytes, known->format.bytes, known->format.length) ==
		       0 &&
	       (more == 0 || text->bytes[text->count - 1] == '\n');
}

static enum shape shape_of(const struct answers *answers,
	const struct known_statement *known, const struct row_value *values)
{
	const struct row_value *text = &values[ANSWER_text];

	if (values[ANSWER_event].count > 0)
		return SHAPE_EVENT;
	if (is_word(&values[ANSWER_stream], "syslog"))
		return SHAPE_SYSLOG;
	if (known->formatted &&
		(known->arguments > 0 || known->statement ||
			!answers->wanted.text || text->count == 0))
		return SHAPE_FORMAT;
	if (known->has_format && is_literal(known, text, 0))
		return SHAPE_LITERAL;
	if (known->has_format && is_literal(known, text, 1))
		return SHAPE_LITERAL_LINE;
	return known->formatted ? SHAPE_FORMAT : SHAPE_BYTES;
}

/* Of `(12x)` or the like. */
static int64_t count_of(const struct row_value *text)
{
	int64_t count = 0;
	size_t i = 0;

	while (i < text->count &&
		(text->bytes[i] < '0' || text->bytes[i] > '9'))
		i++;
	for (; i < text->count && text->bytes[i] >= '0' &&
		text->bytes[i] <= '9';
		i++)
		count = count * 10 + (text->bytes[i] - '0');
	return count;
}

static void fill_values(struct answers *answers, enum shape shape,
	const struct row_value *values)
{
	const struct row_value *ident = &values[ANSWER_ident];
	const struct row_value *text = &values[ANSWER_text];
	struct render_argument *arguments = answers->arguments;

	switch (shape) {
	case SHAPE_EVENT:
		arguments[0].i64 = count_of(text);
		return;
	case SHAPE_BYTES:
		arguments[0].data = text->bytes;
		arguments[0].bytes = (uint32_t)text->count;
		return;
	case SHAPE_SYSLOG:
		arguments[0].i32 =
			(int32_t)(values[ANSWER_facility].number << 3 |
				  values[ANSWER_severity].number);
		arguments[3].data = ident->bytes;
		arguments[3].bytes = (uint32_t)ident->count;
		arguments[3].null = ident->count == 0;
		break;
	default:
		break;
	}
	fill_arguments(answers, values);
}

static const struct known_statement *statement_of(
	const struct answers *answers, const struct row_value *values)
{
	const struct known_statement *known =
		id_map_find(&answers->by_id, values[ANSWER_statement].number);

	return known ? known : &answers->none;
}

/* What it would have printed stays as the row has it. */
static void keep_text(struct answers *answers, const struct row_value *text)
{
	answers->message.text = NULL;
	if (!answers->wanted.text || text->count == 0)
		return;
	answers->text.length = 0;
	render_buffer_put(&answers->text, text->bytes, text->count);
	answers->message.text = &answers->text;
}

const struct message *answers_message(
	struct answers *answers, const struct row_value *values)
{
	const struct known_statement *known = statement_of(answers, values);
	const struct row_value *thread = &values[ANSWER_thread];
	const enum shape shape = shape_of(answers, known, values);
	struct context *context = context_of(answers, known, shape, values,
		(unsigned)values[ANSWER_severity].number & 7);
	struct program *program = program_of(answers, values);

	if (!context || !program)
		return NULL;
	if (known->module)
		map_module(program, answers, known->module);
	answers->thread.length = 0;
	render_buffer_put(&answers->thread, thread->bytes, thread->count);
	render_buffer_put_byte(&answers->thread, '\0');
	answers->message = (struct message){
		.ticks = values[ANSWER_time].number,
		.wall = values[ANSWER_time].number,
		.pid = (uint32_t)values[ANSWER_pid].number,
		.tid = (uint32_t)values[ANSWER_tid].number,
		.thread = answers->thread.data,
		.program = program,
		.context = &context->context,
		.pool = &answers->pool,
		.capture = answers->capture,
		.arguments = answers->arguments,
	};
	clear_arguments(answers, context);
	fill_values(answers, shape, values);
	keep_text(answers, &values[ANSWER_text]);
	if (answers->thread.failed || answers->text.failed ||
		answers->wide.failed || answers->pool.failed)
		return NULL;
	return &answers->message;
}

const struct message *answers_example_of(struct answers *answers, uint64_t id)
{
	struct row_value values[ANSWER_COLUMNS] = {0};
	const struct answers_wanted wanted = answers->wanted;
	const struct message *message;
	size_t column;

	for (column = 0; column < ANSWER_COLUMNS; column++)
		values[column].bytes = "";
	values[ANSWER_stream] =
		(struct row_value){.bytes = "stdout", .count = 6};
	values[ANSWER_program] = (struct row_value){.bytes = "?", .count = 1};
	values[ANSWER_severity].number = 6;
	values[ANSWER_statement].number = id;
	answers->wanted = (struct answers_wanted){0};
	message = answers_message(answers, values);
	answers->wanted = wanted;
	return message;
}

const struct message *answers_example(struct answers *answers, size_t i)
{
	return answers_example_of(answers, answers->statements[i]->id);
}

void answers_free(struct answers *answers)
{
	if (!answers)
		return;
	recording_close(answers->capture);
	symbol_answers_free(&answers->names);
	id_map_free(&answers->by_id);
	id_map_free(&answers->contexts);
	id_map_free(&answers->programs);
	id_map_free(&answers->modules);
	render_buffer_free(&answers->wide);
	render_buffer_free(&answers->text);
	render_buffer_free(&answers->thread);
	pool_free(&answers->pool);
	free(answers->statements);
	free(answers);
}

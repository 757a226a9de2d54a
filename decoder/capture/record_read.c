#include "decoder/capture/record_read.h"

#include "record/layout.h"

#define UNKNOWN_STRING "<string ?>"

static void take_apart(
	struct record_read *read, uint32_t word, uint32_t last, uint32_t other)
{
	read->word = read->id = word;
	read->length = 0;
	read->continues = word & BINLOG_CONTINUES;
	read->repeats = false;
	if (!read->continues)
		return;
	read->repeats = word & BINLOG_REPEATS;
	if (read->repeats) {
		read->id = word & BINLOG_OTHER ? other : last;
		return;
	}
	read->length = word >> BINLOG_LENGTH_SHIFT & BINLOG_LENGTH_MAX;
	read->id = word & ((1u << BINLOG_LENGTH_SHIFT) - 1);
}

enum error_code record_read_head(
	struct record_read *read, uint32_t word, uint32_t last, uint32_t other)
{
	const struct definition_context *context;

	take_apart(read, word, last, other);
	context = read->context =
		definition_context(read->definitions, read->id);
	if (!context)
		return ERROR_CONTEXT;
	if (!context->usable)
		return ERROR_ARGUMENT;
	if ((read->repeats || read->length) &&
		(context->arguments != 1 ||
			context->kinds[0] != BINLOG_ARG_STRING))
		return ERROR_ARGUMENT;
	read->least_bytes = sizeof(word);
	if (!read->continues)
		read->least_bytes += sizeof(read->ticks);
	if (!read->repeats)
		read->least_bytes += context->fixed_bytes;
	return ERROR_NONE;
}

/* A string that is a word, the one right before the cursor. */
static void read_short(
	struct cursor *record, uint32_t word, struct render_argument *argument)
{
	argument->bytes = (word & ~(BINLOG_CONTINUES | BINLOG_SHORT)) >> 24;
	argument->data = record->at - sizeof(word);
	if (argument->bytes > BINLOG_SHORT_MAX)
		record->failed = true;
}

static void read_defined(
	struct record_read *read, uint32_t id, struct render_argument *argument)
{
	const struct definition_string *string =
		definition_string(read->definitions, id);

	if (string && string->bytes) {
		argument->data = string->bytes;
		argument->bytes = (uint32_t)string->length;
		return;
	}
	read->misses_string = true;
	read->missing_string = id;
	argument->null = argument->kind != BINLOG_ARG_STRING;
	if (!argument->null) {
		argument->data = UNKNOWN_STRING;
		argument->bytes = sizeof(UNKNOWN_STRING) - 1;
	}
}

/* A string's bytes or what the length word says instead of them. */
static void read_string(struct record_read *read, struct cursor *record,
	struct render_argument *argument)
{
	uint32_t length = cursor_u32(record);

	if (length == BINLOG_NULL) {
		argument->null = true;
	} else if (length & BINLOG_STRING_ID) {
		read_defined(read, length & ~BINLOG_STRING_ID, argument);
	} else if (length & BINLOG_SHORT) {
		read_short(record, length, argument);
	} else {
		argument->bytes = length;
		argument->data = cursor_padded(record, length);
	}
}

static void read_argument(struct record_read *read, struct cursor *record,
	struct render_argument *argument)
{
	uint64_t bits;

	switch (argument->kind) {
	case BINLOG_ARG_I32:
		argument->i32 = (int32_t)cursor_u32(record);
		break;
	case BINLOG_ARG_I64:
		argument->i64 = (int64_t)cursor_u64(record);
		break;
	case BINLOG_ARG_F64:
		bits = cursor_u64(record);
		memcpy(&argument->f64, &bits, sizeof(bits));
		break;
	case BINLOG_ARG_LONG_DOUBLE:
		argument->data = cursor_bytes(record, 16);
		break;
	default:
		read_string(read, record, argument);
	}
}

/* The only one, of which the first word has told something. */
static void read_only(struct record_read *read, struct cursor *record)
{
	struct render_argument *argument = &read->arguments[0];

	*argument = (struct render_argument){.kind = BINLOG_ARG_STRING};
	if (read->repeats) {
		read_short(record, read->word & ~BINLOG_OTHER, argument);
	} else {
		argument->bytes = read->length;
		argument->data = cursor_padded(record, read->length);
	}
}

bool record_read_rest(struct record_read *read, struct cursor *record)
{
	const struct definition_context *context = read->context;
	bool only = read->repeats || read->length;

	cursor_u32(record);
	read->ticks = read->continues ? 0 : cursor_u32(record);
	read->misses_string = false;
	if (only)
		read_only(read, record);
	for (size_t i = 0; !only && i < context->arguments && !record->failed;
		i++) {
		read->arguments[i] =
			(struct render_argument){.kind = context->kinds[i],
				.binary128 = read->binary128};
		read_argument(read, record, &read->arguments[i]);
	}
	return !record->failed;
}

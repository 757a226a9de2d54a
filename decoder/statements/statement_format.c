#include "decoder/statements/statement_format.h"

#include <ctype.h>
#include <string.h>

#include "record/format.h"

/* Comparisons that one match may take. */
#define PATIENCE 4000u
#define SPEC_MAX 32u
/* Letters of a word that is no mark of a header. */
#define WORD_LEAST 4u

/*
 * From the text of a program to its pieces.
 */

struct row {
	enum statement_formatter formatter;
	const char *directive;
	enum statement_kind kind;
	const char *printf;
};

static const struct row rows[] = {
#define DIRECTIVE(formatter, directive, kind, printf)                          \
	{STATEMENT_##formatter, directive, STATEMENT_##kind, printf},
#include "decoder/statements/directives.def"
#undef DIRECTIVE
};

struct reading {
	const char *at;
	const char *end;
	enum statement_formatter formatter;
	struct pool *pool;
	struct statement_format *format; /* null: pieces are only counted */
	size_t count;
	size_t directives;
	bool own; /* has a directive that printf has not */
	bool failed;
};

static uint8_t argument_of(
	enum statement_kind kind, const char *text, size_t bytes)
{
	uint8_t kinds[FORMAT_ARGUMENTS_MAX + 1];
	bool has_errno;

	if (kind == STATEMENT_PLAIN ||
		format_arguments(text, bytes, kinds, &has_errno) != 1)
		return BINLOG_ARG_STRING;
	return kinds[0];
}

static void add(struct reading *reading, enum statement_kind kind,
	const char *text, size_t bytes)
{
	struct statement_piece *piece;

	reading->count++;
	reading->directives += kind != STATEMENT_PLAIN;
	if (!reading->format)
		return;
	piece = &reading->format->pieces[reading->count - 1];
	*piece = (struct statement_piece){
		.kind = kind,
		.bytes = bytes,
		.text = pool_copy(reading->pool, text, bytes),
		.argument = argument_of(kind, text, bytes),
		.simple = kind != STATEMENT_PLAIN && bytes > 1 &&
			  isalpha((unsigned char)text[1]),
	};
	reading->failed |= !piece->text;
}

static enum statement_kind kind_of(const struct format_directive *directive)
{
	switch (directive->conversion) {
	case 'd':
	case 'u':
		return STATEMENT_INTEGER;
	case 'x':
	case 'o':
		return STATEMENT_HEX;
	case 'X':
		return STATEMENT_HEX_CAPITALS;
	case 'p':
		return STATEMENT_POINTER;
	case 'c':
		return STATEMENT_CHARACTER;
	case 's':
	case 'm':
		return STATEMENT_STRING;
	case 'n':
		return STATEMENT_NOTHING;
	}
	return STATEMENT_FLOAT;
}

/* As one that takes one argument, which is text unless it is simple. */
static void add_printf(
	struct reading *reading, const struct format_directive *directive)
{
	const enum statement_kind kind = kind_of(directive);
	const bool simple =
		directive->width_argument == FORMAT_NONE &&
		directive->precision_argument == FORMAT_NONE &&
		directive->size != FORMAT_LONG_DOUBLE &&
		directive->conversion != 'm' && directive->conversion != 'B' &&
		directive->conversion != 'b' &&
		!(directive->flags &
			(FORMAT_I18N | FORMAT_GROUP | FORMAT_MINUS)) &&
		!memchr(directive->text, '$', directive->length) &&
		!(kind == STATEMENT_STRING && directive->size == FORMAT_LONG) &&
		!(kind == STATEMENT_CHARACTER &&
			directive->size == FORMAT_LONG);

	if (kind == STATEMENT_NOTHING)
		return;
	if (simple)
		add(reading, kind, directive->text, directive->length);
	else
		add(reading, STATEMENT_STRING, "%s", 2);
}

/* False: not a format of printf, from there on. */
static bool read_printf(struct reading *reading)
{
	struct format_directive directive;
	struct format_cursor cursor;

	format_begin(
		&cursor, reading->at, (size_t)(reading->end - reading->at));
	while (format_next(&cursor, &directive)) {
		if (directive.conversion == 0)
			add(reading, STATEMENT_PLAIN, directive.text,
				directive.length);
		else if (directive.conversion == '%')
			add(reading, STATEMENT_PLAIN, "%", 1);
		else
			add_printf(reading, &directive);
	}
	reading->at = cursor.at;
	return cursor.at == reading->end;
}

static const struct row *row_at(const struct reading *reading, const char *at)
{
	const struct row *best = NULL;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t bytes = strlen(rows[i].directive);

		if (rows[i].formatter == reading->formatter &&
			(size_t)(reading->end - at) >= bytes &&
			memcmp(at, rows[i].directive, bytes) == 0 &&
			(!best || bytes > strlen(best->directive)))
			best = &rows[i];
	}
	return best;
}

/* What stands between the percent sign and the type of a directive. */
struct modifiers {
	const char *begin; /* flags, width and precision as printf has them */
	size_t bytes;
	bool star;
	bool is_unsigned;
	char hex; /* x or X; 0: neither */
};

static const char *read_modifiers(
	const struct reading *reading, struct modifiers *modifiers)
{
	const char *at = reading->at + 1;

	modifiers->begin = at;
	if (reading->formatter == STATEMENT_GO)
		return at;
	while (at < reading->end && strchr("-0.*123456789", *at)) {
		if (reading->formatter == STATEMENT_QT)
			break;
		modifiers->star |= *at++ == '*';
	}
	modifiers->bytes = (size_t)(at - modifiers->begin);
	for (; reading->formatter == STATEMENT_NGINX && at < reading->end;
		at++) {
		/* `xs` is a type */
		if (row_at(reading, at) && !strchr("uxXm", *at))
			break;
		if (at[0] != '\0' && strchr("xX", at[0]) &&
			at + 1 < reading->end && at[1] == 's')
			break;
		if (*at == 'u')
			modifiers->is_unsigned = true;
		else if (*at == 'x' || *at == 'X')
			modifiers->hex = *at;
		else if (*at != 'm')
			break;
	}
	return at;
}

static void add_row(struct reading *reading, const struct row *row,
	const struct modifiers *modifiers)
{
	enum statement_kind kind = row->kind;
	const char *type = row->printf;
	char spec[SPEC_MAX] = "%";
	size_t length = 1;

	if (kind == STATEMENT_NOTHING)
		return;
	if (kind == STATEMENT_INTEGER && modifiers->hex) {
		kind = modifiers->hex == 'x' ? STATEMENT_HEX
					     : STATEMENT_HEX_CAPITALS;
		type = modifiers->hex == 'x' ? "lx" : "lX";
	} else if (kind == STATEMENT_INTEGER && modifiers->is_unsigned) {
		type = "lu";
	}
	if (kind != STATEMENT_STRING && !modifiers->star &&
		modifiers->bytes < SPEC_MAX / 2) {
		memcpy(spec + length, modifiers->begin, modifiers->bytes);
		length += modifiers->bytes;
	}
	memcpy(spec + length, type, strlen(type));
	length += strlen(type);
	add(reading, kind, spec, length);
	reading->own = true;
}

/* Of another formatter; what it has in common with printf is read as such. */
static bool read_foreign(struct reading *reading)
{
	while (reading->at < reading->end) {
		const char *percent = memchr(
			reading->at, '%', (size_t)(reading->end - reading->at));
		struct modifiers modifiers = {0};
		struct format_directive directive;
		struct format_cursor cursor;
		const struct row *row;
		const char *type;

		if (!percent)
			percent = reading->end;
		if (percent > reading->at)
			add(reading, STATEMENT_PLAIN, reading->at,
				(size_t)(percent - reading->at));
		reading->at = percent;
		if (percent == reading->end)
			break;
		if (percent + 1 < reading->end && percent[1] == '%') {
			add(reading, STATEMENT_PLAIN, "%", 1);
			reading->at += 2;
			continue;
		}
		type = read_modifiers(reading, &modifiers);
		row = row_at(reading, type);
		if (row) {
			add_row(reading, row, &modifiers);
			reading->at = type + strlen(row->directive);
			continue;
		}
		if (reading->formatter == STATEMENT_NGINX ||
			reading->formatter == STATEMENT_QT)
			return false;
		format_begin(
			&cursor, percent, (size_t)(reading->end - percent));
		if (!format_next(&cursor, &directive) ||
			directive.conversion == 0)
			return false;
		add_printf(reading, &directive);
		reading->at = cursor.at;
	}
	return reading->own;
}

/* `{}`, `{0}`, `{:>8}`; any other brace is of no such format. */
static bool read_braces(struct reading *reading)
{
	while (reading->at < reading->end) {
		const size_t left = (size_t)(reading->end - reading->at);
		const char *brace = memchr(reading->at, '{', left);
		const char *close;

		if (!brace)
			brace = reading->end;
		if (brace > reading->at)
			add(reading, STATEMENT_PLAIN, reading->at,
				(size_t)(brace - reading->at));
		reading->at = brace;
		if (brace == reading->end)
			break;
		close = memchr(brace, '}', (size_t)(reading->end - brace));
		if (!close || (close > brace + 1 &&
				      !isdigit((unsigned char)brace[1]) &&
				      brace[1] != ':'))
			return false;
		add(reading, STATEMENT_STRING, "%s", 2);
		reading->own = true;
		reading->at = close + 1;
	}
	return reading->own;
}

static bool read_all(struct reading *reading)
{
	switch (reading->formatter) {
	case STATEMENT_PRINTF:
		return read_printf(reading);
	case STATEMENT_BRACES:
		return read_braces(reading);
	default:
		return read_foreign(reading);
	}
}

void statement_pairs_add(
	struct statement_pairs *pairs, const char *text, size_t bytes)
{
	size_t i;

	for (i = 1; i < bytes; i++) {
		const uint32_t pair =
			(uint32_t)(uint8_t)text[i - 1] << 8 | (uint8_t)text[i];
		const uint32_t hash = pair * 0x9e3779b1u >> 24;

		pairs->bits[hash / 64] |= (uint64_t)1 << hash % 64;
	}
}

/* A mark makes a header of it: `%s: `, `[%d] `. */
static bool is_unended(const struct statement_format *format, bool marks)
{
	const struct statement_piece *last = &format->pieces[format->count - 1];

	return format->directives > 0 && !marks &&
	       last->kind == STATEMENT_PLAIN &&
	       last->text[last->bytes - 1] == ' ';
}

static void measure(struct statement_format *format)
{
	size_t longest = 0;
	bool marks = false;
	size_t words = 0;
	size_t i, k;

	for (i = 0; i < format->count; i++) {
		const struct statement_piece *piece = &format->pieces[i];
		bool inside = false;
		size_t letters = 0;

		if (piece->kind != STATEMENT_PLAIN) {
			format->directives++;
			continue;
		}
		statement_pairs_add(&format->pairs, piece->text, piece->bytes);
		for (k = 0; k < piece->bytes; k++) {
			unsigned char c = (unsigned char)piece->text[k];
			bool letter = isalnum(c) || c >= 0x80;

			letters = letter ? letters + 1 : 0;
			if (letters > longest)
				longest = letters;
			marks |= !letter && !isspace(c);
			format->letters += letter;
			format->plain += !isspace(c);
			format->parted = true;
			words += letter && !inside;
			inside = !isspace(c) && (inside || letter);
		}
	}
	format->spaced = words > 1;
	format->unended = longest >= WORD_LEAST && is_unended(format, marks);
}

struct statement_format *statement_format_new(const char *text, size_t bytes,
	enum statement_formatter formatter, struct pool *pool)
{
	struct reading reading = {
		.at = text,
		.end = text + bytes,
		.formatter = formatter,
		.pool = pool,
	};
	struct statement_format *format;

	while (reading.end > text &&
		(reading.end[-1] == '\n' || reading.end[-1] == '\r'))
		reading.end--;
	if (!read_all(&reading) || reading.count == 0 ||
		reading.directives > STATEMENT_DIRECTIVES_MAX)
		return NULL;
	format = pool_take(pool,
		sizeof(*format) + reading.count * sizeof(format->pieces[0]));
	if (!format)
		return NULL;
	*format = (struct statement_format){
		.text = pool_copy(pool, text, bytes), .bytes = bytes};
	reading.at = text;
	reading.count = reading.directives = 0;
	reading.format = format;
	if (!read_all(&reading) || reading.failed || !format->text)
		return NULL;
	format->count = reading.count;
	measure(format);
	return format;
}

/*
 * From a message to what its directives have made.
 */

struct matching {
	const struct statement_format *format;
	const char *text;
	size_t bytes;
	bool (*ends)(const char *text, size_t bytes, size_t at);
	struct statement_match *match;
	unsigned patience;
};

static size_t digits(
	const struct matching *matching, size_t at, const char *more)
{
	size_t from = at;

	while (at < matching->bytes &&
		((unsigned char)(matching->text[at] - '0') <= 9 ||
			(*more && matching->text[at] != '\0' &&
				strchr(more, matching->text[at]))))
		at++;
	return at - from;
}

static bool has(const struct matching *matching, size_t at, const char *word)
{
	size_t bytes = strlen(word);

	return matching->bytes - at >= bytes &&
	       memcmp(matching->text + at, word, bytes) == 0;
}

/* How many bytes a number of this kind has there; 0: there is none. */
static size_t number(
	const struct matching *matching, size_t at, enum statement_kind kind)
{
	size_t from = at;
	size_t found;

	while (at < matching->bytes && matching->text[at] == ' ')
		at++;
	switch (kind) {
	case STATEMENT_INTEGER:
		at += has(matching, at, "+") || has(matching, at, "-");
		found = digits(matching, at, "");
		break;
	case STATEMENT_HEX:
		at += has(matching, at, "0x") ? 2 : 0;
		found = digits(matching, at, "abcdef");
		break;
	case STATEMENT_HEX_CAPITALS:
		at += has(matching, at, "0X") ? 2 : 0;
		found = digits(matching, at, "ABCDEF");
		break;
	case STATEMENT_POINTER:
		if (has(matching, at, "(nil)"))
			return at + 5 - from;
		if (!has(matching, at, "0x"))
			return 0;
		at += 2;
		found = digits(matching, at, "abcdef");
		break;
	default:
		at += has(matching, at, "+") || has(matching, at, "-");
		if (has(matching, at, "nan") || has(matching, at, "inf"))
			return at + 3 - from;
		found = digits(matching, at, ".eE");
		break;
	}
	return found > 0 ? at + found - from : 0;
}

static bool match_from(
	struct matching *matching, size_t piece, size_t directive, size_t at);

static bool take(struct matching *matching, size_t piece, size_t directive,
	size_t at, size_t bytes)
{
	matching->match->captures[directive] =
		(struct statement_capture){matching->text + at, bytes};
	return match_from(matching, piece + 1, directive + 1, at + bytes);
}

static bool spend(struct matching *matching)
{
	if (matching->patience == 0)
		return false;
	matching->patience--;
	return true;
}

/* memmem() has more to prepare than most of these searches take. */
#define LOOKS_MAX 8

/* Where the piece is next; null: nowhere. */
static const char *find_plain(
	const char *at, size_t bytes, const struct statement_piece *piece)
{
	const char *const end = at + bytes;
	unsigned looks;

	for (looks = 0; (size_t)(end - at) >= piece->bytes; looks++, at++) {
		if (looks == LOOKS_MAX)
			return memmem(at, (size_t)(end - at), piece->text,
				piece->bytes);
		at = memchr(at, piece->text[0],
			(size_t)(end - at) - piece->bytes + 1);
		if (!at || memcmp(at, piece->text, piece->bytes) == 0)
			return at;
	}
	return NULL;
}

/* The shortest that lets the rest match; of the last piece the longest. */
static bool match_string(
	struct matching *matching, size_t piece, size_t directive, size_t at)
{
	const struct statement_piece *next =
		piece + 1 < matching->format->count
			? &matching->format->pieces[piece + 1]
			: NULL;
	size_t end;

	if (!next)
		return take(
			matching, piece, directive, at, matching->bytes - at);
	for (end = at; end <= matching->bytes && spend(matching); end++) {
		if (next->kind == STATEMENT_PLAIN) {
			const char *found = find_plain(matching->text + end,
				matching->bytes - end, next);

			if (!found)
				return false;
			end = (size_t)(found - matching->text);
		}
		if (take(matching, piece, directive, at, end - at))
			return true;
	}
	return false;
}

static bool match_from(
	struct matching *matching, size_t piece, size_t directive, size_t at)
{
	const struct statement_format *format = matching->format;
	size_t bytes;

	for (; piece < format->count; piece++) {
		const struct statement_piece *now = &format->pieces[piece];

		if (!spend(matching))
			return false;
		if (now->kind == STATEMENT_STRING)
			return match_string(matching, piece, directive, at);
		if (now->kind == STATEMENT_PLAIN) {
			if (matching->bytes - at < now->bytes ||
				memcmp(matching->text + at, now->text,
					now->bytes) != 0)
				return false;
			at += now->bytes;
			continue;
		}
		bytes = now->kind == STATEMENT_CHARACTER
				? at < matching->bytes
				: number(matching, at, now->kind);
		if (bytes == 0)
			return false;
		matching->match->captures[directive++] =
			(struct statement_capture){matching->text + at, bytes};
		at += bytes;
	}
	matching->match->end = at;
	return at == matching->bytes ||
	       matching->ends(matching->text, matching->bytes, at);
}

bool statement_format_matches(const struct statement_format *format,
	const char *text, size_t bytes, size_t from,
	bool (*ends)(const char *text, size_t bytes, size_t at),
	struct statement_match *match)
{
	struct matching matching = {
		.format = format,
		.text = text,
		.bytes = bytes,
		.ends = ends,
		.match = match,
		.patience = PATIENCE,
	};

	match->text = text;
	return match_from(&matching, 0, 0, from);
}

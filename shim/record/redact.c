#include "shim/record/redact.h"

#include "shim/control/settings.h"
#include "shim/host/arena.h"
#include "shim/host/bytes.h"
#include "shim/host/environment.h"
#include "shim/host/module.h"
#include "shim/writer/define.h"

bool redact_copies;

enum role { KEPT, SKIPPED, REPLACED };

/* What stands alone is the output itself, and has to be right. */
void redact_begin(void)
{
	const char *value = settings_get(CONFIG_redact);

	redact_copies = !value || !bytes_starts(value, "off");
}

/* ---- what stands in the place of a value ---- */

/* SipHash-2-4, https://www.aumasson.jp/siphash/siphash.pdf: a short text cannot
 * be found out by trying without the key. */
struct state {
	uint64_t v[4];
};

static inline uint64_t turn(uint64_t word, unsigned bits)
{
	return word << bits | word >> (64 - bits);
}

static void mix(struct state *state, unsigned rounds)
{
	uint64_t *v = state->v;

	while (rounds-- > 0) {
		v[0] += v[1];
		v[1] = turn(v[1], 13) ^ v[0];
		v[0] = turn(v[0], 32);
		v[2] += v[3];
		v[3] = turn(v[3], 16) ^ v[2];
		v[0] += v[3];
		v[3] = turn(v[3], 21) ^ v[0];
		v[2] += v[1];
		v[1] = turn(v[1], 17) ^ v[2];
		v[2] = turn(v[2], 32);
	}
}

static void add(struct state *state, uint64_t word)
{
	state->v[3] ^= word;
	mix(state, 2);
	state->v[0] ^= word;
}

static uint64_t keyed_hash(
	const uint64_t key[2], const void *bytes, size_t size)
{
	struct state state = {{key[0] ^ 0x736f6d6570736575u,
		key[1] ^ 0x646f72616e646f6du, key[0] ^ 0x6c7967656e657261u,
		key[1] ^ 0x7465646279746573u}};
	const unsigned char *at = bytes;
	uint64_t last = (uint64_t)size << 56, word;
	size_t whole = size & ~(size_t)7;

	for (size_t i = 0; i < whole; i += 8) {
		__builtin_memcpy(&word, at + i, 8);
		add(&state, word);
	}
	for (size_t i = whole; i < size; i++)
		last |= (uint64_t)at[i] << 8 * (i - whole);
	add(&state, last);
	state.v[2] ^= 0xff;
	mix(&state, 4);
	return state.v[0] ^ state.v[1] ^ state.v[2] ^ state.v[3];
}

/* Null: there is none, and hence no hash.  Children of fork have the same. */
static const uint64_t *secret_key(void)
{
	static uint64_t key[2];
	static uint32_t state; /* 0: to be made, 1: being made, 2: made */
	uint32_t new = 0;

	if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == 2)
		return key;
	if (!__atomic_compare_exchange_n(
		    &state, &new, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return NULL;
	new = SYS3(getrandom, key, sizeof(key), 1 /* GRND_NONBLOCK */) ==
			      sizeof(key)
		      ? 2
		      : 0;
	__atomic_store_n(&state, new, __ATOMIC_RELEASE);
	return new == 2 ? key : NULL;
}

static void say(char text[REDACT_TEXT], bool hash, const void *bytes,
	size_t size, bool counts)
{
	struct bytes_text out = {text, REDACT_TEXT, 0};
	const uint64_t *key = hash ? secret_key() : NULL;

	bytes_put(&out, "[");
	if (key) {
		bytes_put(&out, "#");
		bytes_put_number(&out, keyed_hash(key, bytes, size), 16);
	} else if (counts) {
		bytes_put_number(&out, size, 10);
		bytes_put(&out, " bytes");
	} else {
		bytes_put(&out, "hidden");
	}
	bytes_put(&out, "]");
}

void redact_length(char text[REDACT_TEXT], size_t size, bool ends_line)
{
	struct bytes_text out = {text, REDACT_TEXT, 0};

	say(text, false, NULL, size, true);
	out.length = bytes_length(text);
	if (ends_line)
		bytes_put(&out, "\n");
}

void redact_text(char text[REDACT_TEXT], const void *bytes, size_t size)
{
	const char *at = bytes;

	redact_length(text, size, size > 0 && at[size - 1] == '\n');
}

/* ---- the format ---- */

static bool is_next(int index, int *expected)
{
	if (index == FORMAT_NONE)
		return true;
	return index < FORMAT_ARGUMENTS_MAX && index == (*expected)++;
}

static void append(struct redaction *redaction, const char *text, size_t size)
{
	bytes_copy(redaction->format + redaction->length, text, size);
	redaction->length += (uint32_t)size;
}

/* Without the numbers of its arguments, which come in their order: "%1$s" and
 * "%s" do not go together. */
static void append_directive(
	struct redaction *redaction, const char *text, size_t size)
{
	size_t end, i = 0;

	while (i < size) {
		end = i;
		while (text[end] >= '0' && text[end] <= '9')
			end++;
		if (end == i)
			end++;
		else if (text[end] == '$')
			i = ++end;
		append(redaction, text + i, end - i);
		i = end;
	}
}

static void add_kind(struct redaction *redaction, int index, enum role role)
{
	uint8_t kind = redaction->plan->argument[index].kind;

	redaction->roles[index] = role;
	if (role != SKIPPED)
		redaction->kinds[redaction->kinds_count++] =
			role == REPLACED ? BINLOG_ARG_STRING : kind;
}

/* False: its arguments do not come in the order of the format.  None is a
 * "%n": with one there is no plan. */
static bool add_directive(struct redaction *redaction,
	const struct format_directive *directive, int *expected)
{
	int index = directive->argument;
	enum role stars;
	bool hides;

	if (!is_next(directive->width_argument, expected) ||
		!is_next(directive->precision_argument, expected) ||
		!is_next(index, expected))
		return false;
	hides = index != FORMAT_NONE && redaction->mask >> index & 1;
	stars = hides ? SKIPPED : KEPT;
	if (directive->width_argument != FORMAT_NONE)
		add_kind(redaction, directive->width_argument, stars);
	if (directive->precision_argument != FORMAT_NONE)
		add_kind(redaction, directive->precision_argument, stars);
	if (index != FORMAT_NONE)
		add_kind(redaction, index, hides ? REPLACED : KEPT);
	if (hides)
		append(redaction, "%s", 2);
	else if (index != FORMAT_NONE)
		append_directive(redaction, directive->text, directive->length);
	else
		append(redaction, directive->text, directive->length);
	return true;
}

/* No directive is shorter than "%s". */
static bool rewrite(
	struct redaction *redaction, const char *format, size_t length)
{
	struct format_directive directive;
	struct format_cursor cursor;
	int expected = 0;

	redaction->length = 0;
	redaction->kinds_count = 0;
	format_begin(&cursor, format, length);
	while (format_next(&cursor, &directive))
		if (!add_directive(redaction, &directive, &expected))
			return false;
	if (redaction->plan->has_errno)
		redaction->kinds[redaction->kinds_count++] = BINLOG_ARG_I32;
	return cursor.at == cursor.end;
}

static void rewrite_for(
	struct redaction *redaction, const struct site_call *call)
{
	char *room = arena_take(call->length + 1);

	redaction->format = NULL;
	redaction->plan =
		room && call->length <= DEFINE_STRING_MAX
			? plan_make(call->format, (uint32_t)call->length)
			: NULL;
	if (!redaction->plan || redaction->plan->at_once)
		return;
	redaction->format = room;
	if (!rewrite(redaction, call->format, call->length))
		redaction->format = NULL;
}

/* Where everything is to be left out, a format that the program has made is
 * text like any other. */
static bool may_keep_format(const struct site_call *call, uint64_t mask)
{
	return call->format && call->text != BINLOG_TEXT_BYTES &&
	       call->text != BINLOG_TEXT_BYTES_LINE &&
	       (mask != ~(uint64_t)0 ||
		       module_is_constant(call->format, call->length + 1));
}

void redact_prepare(struct site *site, const struct site_call *call)
{
	struct redaction *redaction;
	uint64_t mask = 0;
	bool hash = true;

	for (unsigned i = 0; i < site->decisions; i++) {
		mask |= site->decided[i].redacted;
		if (site->decided[i].redacted)
			hash &= site->decided[i].redaction == REDACT_HASH;
	}
	__atomic_store_n(&site->redacts, mask != 0, __ATOMIC_RELEASE);
	if (mask == 0 || site->is_spare ||
		(site->redaction && site->redaction->mask == mask &&
			site->redaction->hash == hash))
		return;
	__atomic_store_n(&site->redaction, NULL, __ATOMIC_RELEASE);
	redaction = arena_take(sizeof(*redaction));
	if (!redaction)
		return;
	redaction->mask = mask;
	redaction->hash = hash;
	if (may_keep_format(call, mask))
		rewrite_for(redaction, call);
	__atomic_store_n(&site->redaction, redaction, __ATOMIC_RELEASE);
}

/* ---- storing ---- */

static size_t wide_size(const wchar_t *s, int64_t limit)
{
	size_t n = 0;

	while ((limit < 0 || n < (size_t)limit) && s[n])
		n++;
	return n * sizeof(*s);
}

/* Of a long double; the others are padding. */
#define LONG_DOUBLE_BYTES (LDBL_MANT_DIG == 64 ? 10 : sizeof(long double))

/* Its bytes as far as they may be read. */
static void say_string(char text[REDACT_TEXT], bool hash,
	const struct plan_argument *argument, const void *s, int64_t limit)
{
	size_t size;

	if (!s)
		size = 0;
	else if (argument->kind == BINLOG_ARG_WIDE)
		size = wide_size(s, limit);
	else
		size = limit < 0 ? bytes_length(s)
				 : bytes_length_limited(s, (size_t)limit);
	say(text, hash, s, size, true);
}

static void say_argument(char text[REDACT_TEXT], bool hash,
	const struct plan_argument *argument, struct arguments_list *list,
	int64_t limit)
{
	char value[16] = {0};
	int64_t integer;
	double real;
	long double long_real;

	switch (argument->kind) {
	case BINLOG_ARG_STRING:
	case BINLOG_ARG_WIDE:
		say_string(text, hash, argument, va_arg(list->ap, const void *),
			limit < 0 ? argument->precision : limit);
		return;
	case BINLOG_ARG_I32:
		integer = va_arg(list->ap, int);
		__builtin_memcpy(value, &integer, sizeof(integer));
		break;
	case BINLOG_ARG_F64:
		real = va_arg(list->ap, double);
		__builtin_memcpy(value, &real, sizeof(real));
		break;
	case BINLOG_ARG_LONG_DOUBLE:
		long_real = va_arg(list->ap, long double);
		__builtin_memcpy(value, &long_real, LONG_DOUBLE_BYTES);
		break;
	default:
		integer = va_arg(list->ap, int64_t);
		__builtin_memcpy(value, &integer, sizeof(integer));
		break;
	}
	say(text, hash, value, sizeof(value), false);
}

char *redact_store(struct writer *w, char *to,
	const struct redaction *redaction, struct arguments_list *list,
	struct arguments_sum *sum)
{
	static const struct plan_argument plain = {
		.width = FORMAT_NONE, .precision = FORMAT_NONE};
	const struct plan *plan = redaction->plan;
	size_t rest = plan->fixed + plan->count * sizeof(uint32_t);
	int64_t limit = -1; /* by a ".*" that is left out */
	char text[REDACT_TEXT];

	arguments_clear_stars(sum);
	for (unsigned i = 0; to && i < plan->count; i++) {
		const struct plan_argument *argument = &plan->argument[i];

		if (redaction->roles[i] == SKIPPED) {
			int value = va_arg(list->ap, int);

			if (argument->measure == MEASURE_PRECISION)
				limit = value;
			continue;
		}
		if (redaction->roles[i] == KEPT) {
			to = arguments_store_general(
				w, to, argument, list, rest, sum);
			continue;
		}
		say_argument(text, redaction->hash, argument, list, limit);
		to = arguments_store_string(w, to, &plain, text, rest, sum);
		arguments_clear_stars(sum);
		limit = -1;
	}
	sum->length = (uint64_t)INT_MAX + 1; /* libc has to tell it */
	return to;
}

/*
 * formats SEED COUNT [FIRST]: random formats with random arguments through
 * every function of the printf family.  What vsnprintf makes of the same is
 * appended to expected.stdout and expected.stderr; "results" has a line per
 * call (number, stream, offset, value, errno, function, format), "mismatches"
 * the calls that returned something else than vsnprintf did.
 * formats table SEED COUNT: formats as C strings, for FORMATS_TABLE.
 */
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wchar.h>

#include "tests/random_format.h"
#include "tests/victims/formats.h"

#define TEXT_BYTES (4u << 20)
#define LONG_BYTES (200u << 10)
#define BLOCK 1000u /* samples between changes of the locale */
#define PAGE 65536u /* of the largest kind */
#define MISMATCHES_MAX 20
#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))
/* An address that is also a harmless width, precision and string. */
#define LOW_ADDRESS 0x10000ul
#define TARGET_ADDRESS (LOW_ADDRESS + PAGE / 2) /* of "%n" */

static const char *const constant_formats[] = {
	"constant %s\n",
#include FORMATS_TABLE
};
static const char constant_long[] = {[0 ... 5000] = 'c', '\0'};
static char expected[TEXT_BYTES];
static size_t expected_bytes;
static FILE *scratch, *results, *mismatches, *text_file[2];
static uint64_t text_offset[2];
static uint64_t number; /* of the sample */
static int mismatches_count;

static _Alignas(16) uint64_t slots[LIBC_SLOTS];
static const char *format;
static char *heap_format, *long_text, *regions;

/* What a call may write to, besides its text. */
static uint64_t *written[FORMAT_ARGUMENTS_MAX + 1];
static uint64_t wanted[FORMAT_ARGUMENTS_MAX + 1];
static int written_count;

static void clear_written(void)
{
	for (int i = 0; i < written_count; i++)
		*written[i] = 0x7878787878787878u;
	if (written_count > 0 && (uintptr_t)written[0] == LOW_ADDRESS)
		*written[0] = 0x78787878u; /* as a string it ends */
}

static void note_written(void)
{
	for (int i = 0; i < written_count; i++)
		wanted[i] = *written[i];
}

static bool same_written(void)
{
	for (int i = 0; i < written_count; i++)
		if (*written[i] != wanted[i])
			return false;
	return true;
}

static const char *escaped(const char *s)
{
	static char text[4 * RANDOM_FORMAT_BYTES + 1];
	char *to = text;

	for (; *s != '\0' && to < text + sizeof(text) - 5; s++) {
		if (*s >= ' ' && *s <= '~')
			*to++ = *s;
		else
			to += sprintf(to, "\\%03o", (unsigned char)*s);
	}
	*to = '\0';
	return text;
}

/* The text in `expected`, also when vsnprintf does not say its length. */
static int ask_oracle(int (*run)(enum way), int error, int *error_after)
{
	int value;

	clear_written();
	errno = error;
	value = run(WAY_ORACLE);
	*error_after = errno;
	expected_bytes = (size_t)value;
	if (value < 0) {
		rewind(scratch);
		clear_written();
		errno = error;
		run(WAY_SCRATCH);
		expected_bytes = (size_t)ftell(scratch);
		rewind(scratch);
		if (fread(expected, 1, expected_bytes, scratch) !=
			expected_bytes)
			abort();
	}
	if (expected_bytes >= TEXT_BYTES)
		abort();
	note_written();
	return value;
}

/* `error` is errno at the call. */
static void try(int (*run)(enum way), enum way way, int error)
{
	int to = ways[way].to_error;
	int value_wanted, error_wanted, value, error_after;

	value_wanted = ask_oracle(run, error, &error_wanted);
	clear_written();
	if (ways[way].by_descriptor && !to)
		fflush(stdout);
	errno = error;
	value = run(way);
	error_after = errno;
	fprintf(results, "%llu %s %llu %d %d %s \"%s\"\n",
		(unsigned long long)number, to ? "stderr" : "stdout",
		(unsigned long long)text_offset[to], value, error_after,
		ways[way].name, escaped(format));
	fwrite(expected, 1, expected_bytes, text_file[to]);
	text_offset[to] += expected_bytes;
	if (value == value_wanted && error_after == error_wanted &&
		same_written())
		return;
	if (mismatches_count++ < MISMATCHES_MAX)
		fprintf(mismatches,
			"%llu %s(\"%s\"): returned %d, errno %d%s; expected "
			"%d, %d\n",
			(unsigned long long)number, ways[way].name,
			escaped(format), value, error_after,
			same_written() ? "" : ", and %n is wrong", value_wanted,
			error_wanted);
}

/* ---- genuine variable arguments ---- */
#define TEXT_OF(format, ...) format,
static const char *const genuine_formats[] = {CASES(TEXT_OF)};
static unsigned genuine_case;

#define CASE_OF(...)                                                           \
	case __COUNTER__:                                                      \
		CALL(, way, __VA_ARGS__)

static int run_genuine(enum way way)
{
	switch (genuine_case) {
		CASES(CASE_OF)
	}
	abort();
}

static void random_values(void)
{
	unsigned k;

	for (k = 0; k < COUNT_OF(i); k++)
		i[k] = (int)random_integer();
	for (k = 0; k < COUNT_OF(l); k++)
		l[k] = (long)random_integer();
	for (k = 0; k < COUNT_OF(d); k++)
		d[k] = random_double();
	for (k = 0; k < COUNT_OF(q); k++)
		q[k] = (long double)random_double() * random_double();
	for (k = 0; k < COUNT_OF(p); k++)
		p[k] = one_in(4) ? NULL : (void *)random_integer();
	for (k = 0; k < COUNT_OF(s); k++) {
		random_string(random_strings[k]);
		s[k] = one_in(4) ? constant_formats[k %
						    COUNT_OF(constant_formats)]
				 : random_strings[k];
	}
	s[below(COUNT_OF(s))] = NULL;
}

static void try_genuine(void)
{
	written_count = 2;
	written[0] = (uint64_t *)&n[0];
	written[1] = (uint64_t *)&n[1];
	for (unsigned k = 0; k < COUNT_OF(genuine_formats); k++) {
		random_values();
		genuine_case = k;
		format = genuine_formats[k];
		try(run_genuine, WAY_PRINTF + below(WAYS - WAY_PRINTF),
			(int)below(140));
	}
}

/* ---- arguments laid out by hand ---- */
static int run_by_hand(enum way way)
{
	const struct libc_list image = LIBC_LIST(slots);
	va_list list;

	memcpy(&list, &image, sizeof(list));
	CALL(v, way, format, list)
}

/* How many elements of a string argument may be read; -1: to its end. */
static int64_t readable(const struct random_sample *sample, int index)
{
	struct format_directive directive;
	struct format_cursor cursor;
	int64_t most = 0, precision;

	format_begin(&cursor, sample->format, sample->length);
	while (format_next(&cursor, &directive)) {
		if (directive.argument != index)
			continue;
		precision = directive.precision;
		if (directive.precision_argument != FORMAT_NONE)
			precision =
				sample->arguments[directive.precision_argument]
					.i32;
		if (precision < 0)
			return -1;
		if (precision > most)
			most = precision;
	}
	return most;
}

/* To where the next page cannot be read; without a terminator if possible. */
static void place_at_end(struct random_sample *sample, int index, unsigned unit)
{
	struct render_argument *argument = &sample->arguments[index];
	size_t bytes = argument->bytes + unit;
	int64_t most = readable(sample, index);
	char *to = regions + (size_t)index * 2 * PAGE + PAGE;

	if (most >= 0 && (uint64_t)most * unit < bytes)
		bytes = (size_t)most * unit;
	argument->data = memcpy(to - bytes, argument->data, bytes);
}

static void place_string(struct random_sample *sample, int index)
{
	struct render_argument *argument = &sample->arguments[index];

	if (argument->null)
		return;
	if (argument->kind == BINLOG_ARG_WIDE) {
		if (one_in(4))
			argument->data =
				constant_wide[below(COUNT_OF(constant_wide))];
		else if (one_in(3))
			place_at_end(sample, index, sizeof(wchar_t));
		return;
	}
	if (one_in(4))
		argument->data =
			constant_formats[below(COUNT_OF(constant_formats))];
	else if (one_in(1000))
		argument->data = long_text + below(LONG_BYTES / 2);
	else if (one_in(500))
		argument->data = constant_long + below(3000);
	else if (one_in(3))
		place_at_end(sample, index, 1);
}

static void set_arguments(struct random_sample *sample, int *error)
{
	random_arguments(sample);
	written_count = 0;
	for (int k = 0; k < sample->count; k++) {
		if (sample->kinds[k] == BINLOG_ARG_STRING ||
			sample->kinds[k] == BINLOG_ARG_WIDE)
			place_string(sample, k);
		if (sample->roles[k] != 'n')
			continue;
		/* At a place that is the same in every run: the address may
		 * be printed as well. */
		written[written_count] = (uint64_t *)TARGET_ADDRESS + k;
		sample->arguments[k].i64 = (intptr_t)written[written_count++];
	}
	libc_print_fill(slots, sample->arguments, (size_t)sample->count);
	if (sample->has_errno)
		*error = sample->arguments[sample->count - 1].i32;
}

/* Formats that leave open what their arguments are: what libc does. */
static bool set_any_arguments(const struct random_sample *sample)
{
	/* What one number with two types prints is chance; what "%n" writes,
	 * the same slot would print; and "*" is many blanks. */
	if (strchr(sample->format, '$') != NULL ||
		(strchr(sample->format, 'n') != NULL &&
			strpbrk(sample->format, "sS") != NULL) ||
		(strchr(sample->format, '*') != NULL && !one_in(20)))
		return false;
	for (unsigned k = 0; k < LIBC_SLOTS; k++)
		slots[k] = LOW_ADDRESS;
	written[0] = (uint64_t *)LOW_ADDRESS;
	written_count = 1;
	return true;
}

static const char *choose_format(struct random_sample *sample)
{
	unsigned count = COUNT_OF(constant_formats);
	const char *constant;

	if (one_in(3)) {
		/* A few of them often. */
		constant = constant_formats[below(
			one_in(2) && count > 50 ? 50 : count)];
		sample->length = strlen(constant);
		memcpy(sample->format, constant, sample->length + 1);
		return constant;
	}
	if (one_in(8)) {
		do
			random_soup(sample);
		while (random_has_number(sample->format, 1000, INT_MAX));
	} else {
		random_format(sample);
	}
	return NULL;
}

/* A fortified libc aborts at "%n", and at gaps in the numbers. */
static bool passes_checks(const struct random_sample *sample)
{
	struct format_directive directive;
	struct format_cursor cursor;

	if (strchr(sample->format, 'n') != NULL)
		return false;
	if (strchr(sample->format, '$') == NULL)
		return true;
	/* "%3$m" counts as an argument that nothing uses. */
	format_begin(&cursor, sample->format, sample->length);
	while (format_next(&cursor, &directive))
		if (directive.conversion != 0 &&
			directive.argument == FORMAT_NONE)
			return false;
	return true;
}

static void try_random(void)
{
	static struct random_sample sample;
	char on_stack[RANDOM_FORMAT_BYTES];
	int error = one_in(2) ? 0 : (int)below(140);
	enum way last;

	do {
		format = choose_format(&sample);
		sample.count = format_arguments(sample.format, sample.length,
			sample.kinds, &sample.has_errno);
		if (sample.count != FORMAT_NONE)
			set_arguments(&sample, &error);
	} while (sample.count == FORMAT_NONE && !set_any_arguments(&sample));
	if (format == NULL) {
		format = one_in(3) ? on_stack : heap_format;
		memcpy((char *)format, sample.format, sample.length + 1);
	}
	last = passes_checks(&sample) ? WAYS : WAY_PRINTF_CHK;
	try(run_by_hand, WAY_PRINTF + below(last - WAY_PRINTF), error);
}

/* ---- all of it ---- */
static void change_locale(bool of_thread)
{
	static const char *const names[] = {"C", "C.UTF-8", "C.UTF-8",
		"de_DE.UTF-8", "de_DE.ISO-8859-1", "fa_IR.UTF-8"};
	static const int categories[] = {
		LC_ALL, LC_ALL, LC_NUMERIC, LC_CTYPE, LC_MESSAGES};
	static locale_t own;
	const char *name = names[below(COUNT_OF(names))];

	uselocale(LC_GLOBAL_LOCALE);
	if (own != NULL)
		freelocale(own);
	own = NULL;
	setlocale(LC_ALL, one_in(2) ? "C" : "C.UTF-8");
	setlocale(categories[below(COUNT_OF(categories))], name);
	if (!of_thread || one_in(2))
		return;
	own = newlocale(LC_ALL_MASK, names[below(COUNT_OF(names))], NULL);
	if (own != NULL)
		uselocale(own);
}

static void set_up(void)
{
	char *low = mmap((void *)LOW_ADDRESS, PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	size_t size = (FORMAT_ARGUMENTS_MAX + 1) * 2 * (size_t)PAGE;

	regions = mmap(NULL, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (size_t at = PAGE; at < size; at += 2 * PAGE)
		mprotect(regions + at, PAGE, PROT_NONE);
	heap_format = malloc(RANDOM_FORMAT_BYTES);
	long_text = malloc(LONG_BYTES);
	for (unsigned k = 0; k < LONG_BYTES; k++)
		long_text[k] = (char)('a' + k % 23);
	long_text[LONG_BYTES - 1] = '\0';
	scratch = fopen("scratch", "w+");
	results = fopen("results", "w");
	mismatches = fopen("mismatches", "w");
	text_file[0] = fopen("expected.stdout", "w");
	text_file[1] = fopen("expected.stderr", "w");
	if (low == MAP_FAILED || regions == MAP_FAILED || scratch == NULL ||
		results == NULL || mismatches == NULL || !text_file[0] ||
		!text_file[1])
		abort();
}

static void print_table(uint64_t seed, unsigned count)
{
	struct random_sample sample;

	random_state = seed << 32;
	while (count-- > 0) {
		random_format(&sample);
		printf("\"%s\",\n", escaped(sample.format));
	}
}

int main(int argc, char **argv)
{
	uint64_t seed, count;

	if (argc == 4 && strcmp(argv[1], "table") == 0) {
		print_table(
			strtoull(argv[2], NULL, 0), (unsigned)atoi(argv[3]));
		return 0;
	}
	if (argc < 3)
		return 2;
	seed = strtoull(argv[1], NULL, 0);
	count = strtoull(argv[2], NULL, 0);
	number = argc > 3 ? strtoull(argv[3], NULL, 0) : 0;
	set_up();
	for (; number < count; number++) {
		if (number % BLOCK == 0 || argc > 3) {
			argc = 3;
			random_state = seed << 32 | 1u << 31 | number / BLOCK;
			change_locale(number >= count / 2);
			try_genuine();
		}
		random_state = seed << 32 | number;
		try_random();
	}
	return fflush(NULL) != 0 || mismatches_count > 0;
}

/*
 * formats narrow|wide LOCALE SEED COUNT: so many random formats with random
 * arguments through the functions of the printf family.  What libc itself,
 * not interposed, makes of each is in expected.stdout and expected.stderr;
 * "mismatches" has the calls after which value, errno, ferror() or what "%n"
 * has written were different; "calls" how many there were.
 * formats ... COUNT stdout|stderr OFFSET: natively, what it was that wrote
 * this byte.
 * formats table SEED COUNT: formats as C strings, for FORMATS_TABLE.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "tests/victims/formats_sample.h"

#define BLOCK 1000u /* samples between changes of the locale */
#define MISMATCHES_MAX 20

static bool wide; /* this is about the wide functions */
static FILE *expected[2], *mismatches;
static uint64_t number; /* of the sample */
static unsigned long calls;
static int mismatches_count;
/* To be found: a byte of one of the streams; -1: none. */
static int sought_stream = -1;
static long sought_offset;

static const char *format;
static wchar_t wide_format[RANDOM_FORMAT_BYTES];
static const struct random_sample *current; /* null: genuine arguments */

/* ---- to be read by people ---- */
static void put_escaped(FILE *to, const char *s, size_t size)
{
	fputc('"', to);
	for (size_t k = 0; k < size && k < 300; k++)
		if (s[k] >= ' ' && s[k] <= '~' && s[k] != '"' && s[k] != '\\')
			fputc(s[k], to);
		else
			fprintf(to, "\\%03o", (unsigned char)s[k]);
	fputs(size > 300 ? "\"..." : "\"", to);
}

static void put_argument(FILE *to, const struct render_argument *argument)
{
	const uint64_t *words = argument->data;

	switch (argument->kind) {
	case BINLOG_ARG_I32:
		fprintf(to, ", %d", argument->i32);
		break;
	case BINLOG_ARG_I64:
		fprintf(to, ", %#llx", (unsigned long long)argument->i64);
		break;
	case BINLOG_ARG_F64:
		fprintf(to, ", %a", argument->f64);
		break;
	case BINLOG_ARG_LONG_DOUBLE:
		fprintf(to, ", %#llx:%016llx",
			(unsigned long long)words[1] & 0xffff,
			(unsigned long long)words[0]);
		break;
	default:
		fputs(argument->kind == BINLOG_ARG_WIDE ? ", L" : ", ", to);
		if (argument->null)
			fputs("null", to);
		else
			put_escaped(to, argument->data, argument->bytes);
	}
}

static void put_call(FILE *to, enum way way)
{
	fprintf(to, "%llu %s%s(", (unsigned long long)number, ways[way].name,
		wide ? ", wide" : "");
	put_escaped(to, format, strlen(format));
	for (const wchar_t *c = wide_format; wide && current && *c; c++)
		if (*c >= 0x80)
			fprintf(to, " \\x%x", (unsigned)*c);
	for (int k = 0; current && k < current->count; k++)
		put_argument(to, &current->arguments[k]);
	fprintf(to, ") in %s", setlocale(LC_ALL, NULL));
}

/* ---- a call, truly and recorded ---- */
struct outcome {
	int value, error, failed;
};

static struct outcome make(
	int (*run)(enum way), enum way way, int error, FILE *file)
{
	struct outcome made;

	clear_written();
	errno = error;
	made.value = run(way);
	made.error = errno;
	made.failed = ferror(file) != 0;
	return made;
}

static void seek(enum way way, FILE *file)
{
	truth.fflush(file);
	if (lseek(fileno(file), 0, SEEK_CUR) <= sought_offset)
		return;
	put_call(stdout, way);
	putchar('\n');
	exit(0);
}

/* `error` is errno at the call. */
static void try(int (*run)(enum way), enum way way, int error)
{
	int to = ways[way].to_error;
	struct outcome truly, made;

	calls++;
	if (ways[way].by_descriptor && !to)
		truth.fflush(expected[0]);
	truly = make(run,
		(ways[way].by_descriptor ? WAY_TRUTH_DESCRIPTOR : WAY_TRUTH) +
			to,
		error, expected[to]);
	note_written();
	if (sought_stream >= 0) {
		if (sought_stream == to)
			seek(way, expected[to]);
		return;
	}
	if (ways[way].by_descriptor && !to)
		fflush(stdout);
	made = make(run, way, error, to ? stderr : stdout);
	if (memcmp(&made, &truly, sizeof(made)) == 0 && same_written())
		return;
	if (mismatches_count++ >= MISMATCHES_MAX)
		return;
	put_call(mismatches, way);
	fprintf(mismatches,
		": returned %d, errno %d, ferror %d%s; expected %d, %d, %d\n",
		made.value, made.error, made.failed,
		same_written() ? "" : ", and %n is wrong", truly.value,
		truly.error, truly.failed);
}

static enum way random_way(bool checks)
{
	static const enum way of_wide[] = {WAY_PRINTF, WAY_FPRINTF,
		WAY_FPRINTF_ERROR, WAY_PRINTF_CHK, WAY_FPRINTF_CHK,
		WAY_FPRINTF_CHK_ERROR};

	if (wide)
		return of_wide[below(checks ? 6 : 3)];
	return WAY_PRINTF +
	       below((checks ? WAYS : WAY_PRINTF_CHK) - WAY_PRINTF);
}

/* ---- genuine variable arguments ---- */
#define TEXT_OF(format, ...) format,
static const char *const genuine_formats[] = {CASES(TEXT_OF)};
static unsigned genuine_case;

enum { NARROW_CASES = __COUNTER__ + 1 };
#define CASE_OF(...)                                                           \
	case __COUNTER__ - NARROW_CASES:                                       \
		CALL(, way, __VA_ARGS__)

static int run_genuine(enum way way)
{
	switch (genuine_case) {
		CASES(CASE_OF)
	}
	abort();
}

enum { WIDE_CASES = __COUNTER__ + 1 };
#define WIDE_CASE_OF(format, ...)                                              \
	case __COUNTER__ - WIDE_CASES:                                         \
		CALL_WIDE(, way, L##format, __VA_ARGS__)

static int run_genuine_wide(enum way way)
{
	switch (genuine_case) {
		CASES(WIDE_CASE_OF)
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
	current = NULL;
	for (unsigned k = 0; k < COUNT_OF(genuine_formats); k++) {
		random_values();
		genuine_case = k;
		format = genuine_formats[k];
		try(wide ? run_genuine_wide : run_genuine, random_way(true),
			(int)below(140));
	}
}

/* ---- arguments laid out by hand ---- */
static int run_by_hand(enum way way)
{
	const struct libc_list image = LIBC_LIST(slots);
	va_list list;

	memcpy(&list, &image, sizeof(list));
	if (wide)
		CALL_WIDE(v, way, wide_format, list)
	CALL(v, way, format, list)
}

static void try_random(void)
{
	static struct random_sample sample;
	int error = one_in(2) ? 0 : (int)below(140);

	format = random_sample(&sample, wide, &error);
	if (wide)
		widen(&sample, wide_format);
	current = &sample;
	try(run_by_hand, random_way(passes_checks(&sample)), error);
}

/* ---- all of it ---- */
static void change_locale(bool of_thread, const char *base)
{
	static const char *const names[] = {"C", "C.UTF-8", "C.UTF-8",
		"de_DE.UTF-8", "de_DE.ISO-8859-1", "fa_IR.UTF-8",
		"ps_AF.UTF-8"};
	static const int categories[] = {
		LC_ALL, LC_ALL, LC_NUMERIC, LC_CTYPE, LC_MESSAGES};
	static locale_t own;
	const char *name = names[below(COUNT_OF(names))];

	/* What is transliterated, and how, is decided at the last moment. */
	fflush(stdout);
	truth.fflush(expected[0]);
	truth.fflush(expected[1]);
	uselocale(LC_GLOBAL_LOCALE);
	if (own != NULL)
		freelocale(own);
	own = NULL;
	setlocale(LC_ALL, one_in(2) ? base : "C.UTF-8");
	if (one_in(2))
		setlocale(categories[below(COUNT_OF(categories))], name);
	if (!of_thread || one_in(2))
		return;
	own = newlocale(LC_ALL_MASK, names[below(COUNT_OF(names))], NULL);
	if (own != NULL)
		uselocale(own);
}

static void find_truth(void)
{
	void *libc = dlopen("libc.so.6", RTLD_NOLOAD | RTLD_LAZY);

	if (libc == NULL)
		abort();
	truth.fprintf = dlsym(libc, "fprintf");
	truth.vfprintf = dlsym(libc, "vfprintf");
	truth.dprintf = dlsym(libc, "dprintf");
	truth.vdprintf = dlsym(libc, "vdprintf");
	truth.fwprintf = dlsym(libc, "fwprintf");
	truth.vfwprintf = dlsym(libc, "vfwprintf");
	truth.fflush = dlsym(libc, "fflush");
}

/* With a buffer like that of what is recorded: text of a call that fails may
 * be lost in one. */
static FILE *open_expected(const char *name, bool error)
{
	FILE *file = fopen(name, "w");

	if (file == NULL)
		abort();
	if (wide)
		fwide(file, 1);
	else if (error)
		setvbuf(file, NULL, _IONBF, 0);
	return file;
}

static void set_up(const char *base)
{
	if (setlocale(LC_ALL, base) == NULL)
		exit(3);
	find_truth();
	make_places();
	expected[0] = open_expected(
		sought_stream >= 0 ? "again.stdout" : "expected.stdout", false);
	expected[1] = open_expected(
		sought_stream >= 0 ? "again.stderr" : "expected.stderr", true);
	mismatches = fopen("mismatches", sought_stream >= 0 ? "a" : "w");
	if (wide && sought_stream < 0) {
		/* The one by itself, the other by its first use. */
		fwide(stdout, 1);
		fwprintf(stderr, L"wide: %d\n", 1);
		truth.fwprintf(expected[1], L"wide: %d\n", 1);
	}
}

static void print_table(uint64_t seed, unsigned count)
{
	struct random_sample sample;

	random_state = seed << 32;
	while (count-- > 0) {
		random_format(&sample);
		put_escaped(stdout, sample.format, sample.length);
		puts(",");
	}
}

static int finish(void)
{
	FILE *file = fopen("calls", "w");

	fprintf(file, "%lu\n", calls);
	truth.fflush(expected[0]);
	truth.fflush(expected[1]);
	return fflush(NULL) != 0 || mismatches_count > 0;
}

int main(int argc, char **argv)
{
	uint64_t seed, count;

	if (argc == 4 && strcmp(argv[1], "table") == 0) {
		print_table(
			strtoull(argv[2], NULL, 0), (unsigned)atoi(argv[3]));
		return 0;
	}
	if (argc < 5)
		return 2;
	wide = strcmp(argv[1], "wide") == 0;
	seed = strtoull(argv[3], NULL, 0);
	count = strtoull(argv[4], NULL, 0);
	if (argc == 7) {
		sought_stream = strcmp(argv[5], "stderr") == 0;
		sought_offset = atol(argv[6]);
	}
	set_up(argv[2]);
	for (number = 0; number < count; number++) {
		if (number % BLOCK == 0) {
			random_state = seed << 32 | 1u << 31 | number / BLOCK;
			if (number > 0)
				change_locale(number >= count / 2, argv[2]);
			try_genuine();
		}
		random_state = seed << 32 | number;
		try_random();
	}
	return finish();
}

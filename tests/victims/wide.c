/*
 * wide PART: what programs do with wide streams.  What the calls return is in
 * the file "results".
 */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

static FILE *results;

#define NOTE(file, call)                                                       \
	do {                                                                   \
		errno = 7;                                                     \
		long value = (long)(call);                                     \
		int error = errno;                                             \
		fprintf(results, "%s: %ld, errno %d, ferror %d, fwide %d\n",   \
			#call, value, error, ferror(file) != 0,                \
			fwide(file, 0));                                       \
	} while (0)

static const wchar_t *const texts[] = {
	L"plain",
	L"\xe4\xf6\xfc \x20ac \x201cquoted\x201d \x2026",
	L"\x65e5\x672c \x1f600 \xfb01 \xbd \x2192",
	L"\xd800 \xdfff \x110000 \x7fffffff \xffff",
	L"\x80000000 \xfffffffe",
	L"",
};
#define TEXTS (sizeof(texts) / sizeof(*texts))

static void say(FILE *file)
{
	for (unsigned k = 0; k < TEXTS; k++) {
		NOTE(file, fputws(texts[k], file));
		NOTE(file, fwprintf(file, L"[%ls] %d\n", texts[k], k));
		NOTE(file, fwprintf(file, L"[%.3ls|%10.2ls]\n", texts[k],
				   texts[k]));
		NOTE(file, fputwc(texts[k][0], file));
		NOTE(file, putwc(L'\n', file));
	}
	NOTE(file, fwprintf(file, L"\xe9\x65e5%d%%\n", 5));
	NOTE(file, fwprintf(file, L"%s|%.2s|%c|%lc\n", "narrow", "narrow", 'c',
			   (wint_t)0x20ac));
	NOTE(file, fwprintf(file, L"%s", "\xc3\xa4\xe2\x82\xac"));
	NOTE(file, fwprintf(file, L"before %s after\n", "a\xff\xfe z"));
	NOTE(file, fwprintf(file, L"%m %f %'d\n", 1234.5, 1234567));
	NOTE(file, fwprintf(file, L"%m before %s after\n", "a\xff\xfe z"));
	NOTE(file, fwprintf(file, L"%d%n\n", 12, &(int){0}));
	NOTE(file, fwprintf(file, L"%"));
	NOTE(file, fwprintf(file, L"%2$d %1$ls\n", L"x", 3));
	NOTE(file, fwprintf(file, L"%*d|%2147483648d\n", 3, 4, 5));
}

static void say_byte(FILE *file)
{
	/* A byte that is no character; without a buffer it is nothing. */
	NOTE(file, fwprintf(file, L"<%c>\n", 200));
	NOTE(file, fputwc(WEOF, file));
	NOTE(file, fwprintf(file, L"|\n"));
}

static void all(void)
{
	say(stdout);
	say(stderr);
	say_byte(stderr);
	NOTE(stdout, wprintf(L"wprintf %d\n", 1));
	NOTE(stdout, putwchar(L'\x20ac'));
	NOTE(stdout, putwchar_unlocked(L'\xe4'));
	NOTE(stdout, fputws_unlocked(L"unlocked\n", stdout));
}

/* A stream keeps the encoding of the locale in which it became wide. */
static void kept(const char *second)
{
	fwide(stdout, 1);
	say(stdout);
	fflush(stdout);
	setlocale(LC_ALL, second);
	say(stdout);
	say(stderr); /* and this one has the new one */
}

static void mixed(void)
{
	/* Byte-oriented: wide calls fail; wide: narrow ones. */
	NOTE(stdout, printf("bytes\n"));
	NOTE(stdout, wprintf(L"wide\n"));
	NOTE(stdout, fputws(L"wide\n", stdout));
	NOTE(stdout, putwchar(L'w'));
	NOTE(stderr, fwprintf(stderr, L"wide\n"));
	NOTE(stderr, fprintf(stderr, "bytes\n"));
	NOTE(stderr, fputs("bytes\n", stderr));
	NOTE(stderr, fwrite("bytes\n", 1, 6, stderr));
	NOTE(stdout, printf("bytes\n"));
}

/* These two do not care. */
static void bytes(void)
{
	NOTE(stderr, fprintf(stderr, "bytes\n"));
	NOTE(stderr, putwc(L'w', stderr));
	NOTE(stderr, putwc(0x20ac, stderr));
	NOTE(stderr, putwc_unlocked(L'\n', stderr));
	NOTE(stderr, fputwc(L'w', stderr));
	NOTE(stdout, puts("bytes"));
	NOTE(stdout, putwchar_unlocked(L'w'));
	NOTE(stdout, putwchar(L'\n'));
}

/* Long texts, by every way. */
static void lengthy(void)
{
	static wchar_t text[100000];

	for (unsigned k = 0; k < 100000 - 1; k++)
		text[k] = k % 100 == 99 ? L'\n' : L'a' + (wchar_t)(k % 23);
	for (unsigned length = 100; length < 100000; length *= 3) {
		wchar_t kept_character = text[length];

		text[length] = 0;
		NOTE(stdout, fputws(text, stdout));
		NOTE(stdout, wprintf(L"%ls\n", text));
		NOTE(stdout, wprintf(L"%*ls\n", (int)length + 5, text));
		text[length / 2] = 0x20ac;
		NOTE(stdout, fputws(text, stdout));
		NOTE(stdout, wprintf(L"%ls\n", text));
		text[length] = kept_character;
	}
	/* A zero in the middle, wherever a room for the text may end. */
	for (int width = 1; width < 300; width++)
		NOTE(stdout,
			wprintf(L"%*c%.60d|% 'd\n", width, 0, width, 1234567));
}

static void many(int wide)
{
	for (int k = 0; k < 20000; k++)
		if (wide)
			wprintf(L"number %d of %s, %5.2f\n", k, "many", k / 8.);
		else
			printf("number %d of %s, %5.2f\n", k, "many", k / 8.);
}

int main(int argc, char **argv)
{
	const char *part = argc > 1 ? argv[1] : "";

	results = fopen("results", "w");
	if (argc > 2 && setlocale(LC_ALL, argv[2]) == NULL)
		return 3;
	if (argc > 3 && strcmp(part, "all") == 0)
		setvbuf(stdout, NULL, atoi(argv[3]), 4096);
	if (argc > 3 && strcmp(part, "byte") == 0)
		setvbuf(stdout, NULL, atoi(argv[3]), 4096);
	if (strcmp(part, "all") == 0)
		all();
	else if (strcmp(part, "byte") == 0)
		say_byte(stdout);
	else if (strcmp(part, "kept") == 0)
		kept(argv[3]);
	else if (strcmp(part, "bytes") == 0)
		bytes();
	else if (strcmp(part, "mixed") == 0)
		mixed();
	else if (strcmp(part, "lengthy") == 0)
		lengthy();
	else if (strcmp(part, "many") == 0)
		many(strcmp(argv[3], "wide") == 0);
	return 0;
}

/*
 * readers [names] narrow|wide: asks once by each function of libc that reads;
 * descriptor 9 gets the answers.  `names` only tells which there are.
 */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include <wchar.h>

static wchar_t wide[100];
static char text[100];

/* Up to the end of the line; `next` has its parameters or ignores them. */
static void by_character(int (*next)(FILE *))
{
	int c;

	for (size_t n = 0; (c = next(stdin)) != EOF && c != '\n'; n++)
		text[n] = (char)c;
}

static void by_look(int (*look)(FILE *))
{
	look(stdin);
	by_character(getc);
}

static void by_word(int (*next)(FILE *))
{
	int word = next(stdin);

	memcpy(text, &word, sizeof(word));
}

static void by_line(char *(*next)(char *, int, FILE *))
{
	next(text, sizeof(text), stdin);
}

static void by_line_checked(char *(*next)(char *, size_t, int, FILE *))
{
	next(text, sizeof(text), sizeof(text), stdin);
}

/* gets() and __gets_chk(). */
static void by_line_alone(char *(*next)(char *, size_t))
{
	next(text, sizeof(text));
}

static void by_own_line(ssize_t (*next)(char **, size_t *, FILE *))
{
	char *line = NULL;
	size_t room = 0;

	next(&line, &room, stdin);
	strcpy(text, line);
	free(line);
}

static void by_delimiter(ssize_t (*next)(char **, size_t *, int, FILE *))
{
	char *line = NULL;
	size_t room = 0;

	next(&line, &room, '\n', stdin);
	strcpy(text, line);
	free(line);
}

static void by_block(size_t (*next)(void *, size_t, size_t, FILE *))
{
	next(text, 1, 4, stdin);
}

static void by_block_checked(
	size_t (*next)(void *, size_t, size_t, size_t, FILE *))
{
	next(text, sizeof(text), 4, 1, stdin);
}

static void by_scan(int (*next)(const char *, ...))
{
	next("%99s", text);
	getc(stdin);
}

static void by_file_scan(int (*next)(FILE *, const char *, ...))
{
	next(stdin, "%99s", text);
	getc(stdin);
}

static void with_list(void *next, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	((int (*)(const char *, va_list))next)(format, ap);
	va_end(ap);
	getc(stdin);
}

static void by_list_scan(void *next)
{
	with_list(next, "%99s", text);
}

static void with_file_list(void *next, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	((int (*)(FILE *, const char *, va_list))next)(stdin, format, ap);
	va_end(ap);
	getc(stdin);
}

static void by_file_list_scan(void *next)
{
	with_file_list(next, "%99s", text);
}

static void by_descriptor(ssize_t (*next)(int, void *, size_t, size_t))
{
	fflush(stdout);
	next(STDIN_FILENO, text, sizeof(text), sizeof(text));
}

static void by_vector(ssize_t (*next)(int, const struct iovec *, int))
{
	const struct iovec v = {text, sizeof(text)};

	fflush(stdout);
	next(STDIN_FILENO, &v, 1);
}

static void by_wide_character(wint_t (*next)(FILE *))
{
	wint_t c;

	for (size_t n = 0; (c = next(stdin)) != WEOF && c != L'\n'; n++)
		wide[n] = (wchar_t)c;
}

static void by_wide_look(wint_t (*look)(FILE *))
{
	look(stdin);
	by_wide_character(getwc);
}

static void by_wide_line(wchar_t *(*next)(wchar_t *, int, FILE *))
{
	next(wide, 100, stdin);
}

static void by_wide_line_checked(
	wchar_t *(*next)(wchar_t *, size_t, int, FILE *))
{
	next(wide, 100, 100, stdin);
}

static void by_wide_scan(int (*next)(const wchar_t *, ...))
{
	next(L"%99ls", wide);
	getwc(stdin);
}

static void by_wide_file_scan(int (*next)(FILE *, const wchar_t *, ...))
{
	next(stdin, L"%99ls", wide);
	getwc(stdin);
}

static void with_wide_list(void *next, const wchar_t *format, ...)
{
	va_list ap;

	va_start(ap, format);
	((int (*)(const wchar_t *, va_list))next)(format, ap);
	va_end(ap);
	getwc(stdin);
}

static void by_wide_list_scan(void *next)
{
	with_wide_list(next, L"%99ls", wide);
}

static void with_wide_file_list(void *next, const wchar_t *format, ...)
{
	va_list ap;

	va_start(ap, format);
	((int (*)(FILE *, const wchar_t *, va_list))next)(stdin, format, ap);
	va_end(ap);
	getwc(stdin);
}

static void by_wide_file_list_scan(void *next)
{
	with_wide_file_list(next, L"%99ls", wide);
}

static const struct {
	const char *names;
	void *read;
} narrow[] = {
	{"getc _IO_getc fgetc getchar getc_unlocked fgetc_unlocked "
	 "getchar_unlocked __uflow",
		by_character},
	{"__underflow", by_look},
	{"getw", by_word},
	{"fgets _IO_fgets fgets_unlocked", by_line},
	{"__fgets_chk __fgets_unlocked_chk", by_line_checked},
	{"gets _IO_gets __gets_chk", by_line_alone},
	{"getline", by_own_line},
	{"getdelim __getdelim", by_delimiter},
	{"fread _IO_fread fread_unlocked", by_block},
	{"__fread_chk __fread_unlocked_chk", by_block_checked},
	{"scanf __isoc99_scanf", by_scan},
	{"fscanf __isoc99_fscanf", by_file_scan},
	{"vscanf __isoc99_vscanf", by_list_scan},
	{"vfscanf __vfscanf __isoc99_vfscanf", by_file_list_scan},
	{"read __read __read_chk", by_descriptor},
	{"readv", by_vector},
}, wides[] = {
	{"fgetwc getwc getwchar fgetwc_unlocked getwc_unlocked "
	 "getwchar_unlocked __wuflow",
		by_wide_character},
	{"__wunderflow", by_wide_look},
	{"fgetws fgetws_unlocked", by_wide_line},
	{"__fgetws_chk __fgetws_unlocked_chk", by_wide_line_checked},
	{"wscanf __isoc99_wscanf", by_wide_scan},
	{"fwscanf __isoc99_fwscanf", by_wide_file_scan},
	{"vwscanf __isoc99_vwscanf", by_wide_list_scan},
	{"vfwscanf __isoc99_vfwscanf", by_wide_file_list_scan},
};

#define ENTRIES(table) (sizeof(table) / sizeof(*(table)))

static void ask(const char *names, void (*read)(void *), bool list)
{
	char all[200], *rest = all, *name;

	strcpy(all, names);
	while ((name = strsep(&rest, " "))) {
		void *function = dlsym(RTLD_DEFAULT, name);

		if (!function)
			continue;
		memset(text, 0, sizeof(text));
		memset(wide, 0, sizeof(wide));
		printf(list ? "%s\n" : "%s? ", name);
		if (list)
			continue;
		read(function);
		dprintf(9, "%s: %.3s%ls\n", name, text, wide);
	}
}

int main(int argc, char **argv)
{
	bool list = strcmp(argv[1], "names") == 0;

	if (strcmp(argc > 1 + list ? argv[1 + list] : "", "wide") == 0)
		for (size_t i = 0; i < ENTRIES(wides); i++)
			ask(wides[i].names, wides[i].read, list);
	else
		for (size_t i = 0; i < ENTRIES(narrow); i++)
			ask(narrow[i].names, narrow[i].read, list);
	return 0;
}

/*
 * failing full|lines|none|small|wide [SIZES]: calls that fail in the middle of
 * their format, after little text and much (so many sizes of it), and
 * conversions that not every libc has.  "results" has what they return, and errno.
 */
#include <err.h>
#include <errno.h>
#include <error.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static const wchar_t wrong[] = {L'w', INT_MIN, 0};
static const char *const wrong_bytes = "w\xff\xfe";
static const size_t sizes[] = {0, 1, 30, 98, 99, 100, 101, 127, 128, 129, 130, 255, 256, 257, 300, 2047, 2048, 2049, 4095,
	4096, 4097, 8191, 8192, 8193, 16383, 16384, 16385, 40000};
static char text[50000];
static wchar_t wide_text[50000];
static FILE *results;
static unsigned count = sizeof(sizes) / sizeof(*sizes);

#define R(call) (errno = 0, fprintf(results, "%s: %d, errno %d\n", #call, (int)(call), errno))

static void fill(size_t size)
{
	for (size_t i = 0; i < size; i++)
		text[i] = i % 60 == 59 ? '\n' : (char)('a' + (i + size) % 26);
	text[size] = '\0';
	for (size_t i = 0; i <= size; i++)
		wide_text[i] = (wchar_t)text[i];
}

static void narrow(FILE *file, unsigned number)
{
	char changing[40];

	R(fprintf(file, "[%u]", number));
	/* of formats that never repeat only the text is kept */
	for (unsigned i = 0; i < 20; i++) {
		sprintf(changing, "%%y%%ls after %u", 100 * number + i);
		R(fprintf(file, changing, wrong));
	}
	R(fprintf(file, "%s%ls after\n", text, wrong));
	R(fprintf(file, "one %d, %2147483648d after\n", 1, 2));
	R(fprintf(file, "%s%", text));
	R(fprintf(file, "%s%w12d", text, 3));
	R(fprintf(file, "%20ls|", wrong));
	R(fprintf(file, "%-20ls|", wrong));
	R(fprintf(file, "%20.3ls|", wrong));
	R(fprintf(file, "{%u}", number));
}

static void all(void)
{
	for (unsigned i = 0; i < count; i++) {
		fill(sizes[i]);
		narrow(stdout, i);
		narrow(stderr, i);
		fflush(stdout);
		R(dprintf(1, "%s%ls after\n", text, wrong));
		R(dprintf(2, "%s%2147483648d after\n", text, 1));
		warnx("%s%ls after", text, wrong);
		errno = ENOENT;
		warn("%s%ls after", text, wrong);
		error(0, ENOENT, "%s%ls after", text, wrong);
	}
	errno = EACCES;
	perror("perror");
	for (int i = 0; i < 3; i++) {
		R(printf("%b %#b %B %08b|\n", 5u, 6u, 7u, 8u));
		R(printf("%w8d %w16x %w32u %w64d|\n", -1, 65537, 5u, 1L << 40));
		errno = EACCES;
		fprintf(results, "%d\n", printf("%#m %#20m|\n"));
		R(printf("%*d|\n", 300, 1));
	}
}

static void wide(void)
{
	for (unsigned i = 0; i < count; i++) {
		fill(sizes[i]);
		R(wprintf(L"[%u]", i));
		R(wprintf(L"%ls%s after\n", wide_text, wrong_bytes));
		R(wprintf(L"one %d, %2147483648d after\n", 1, 2));
		R(fwprintf(stderr, L"%ls%2147483648d", wide_text, 3));
		R(wprintf(L"{%u}\n", i));
	}
	R(wprintf(L"%b %w32d|\n", 5u, 1));
}

int main(int argc, char **argv)
{
	static char own[100];

	results = fopen("results", "w");
	if (argc > 2)
		count = (unsigned)atoi(argv[2]);
	if (argc < 2 || results == NULL)
		return 2;
	if (strcmp(argv[1], "lines") == 0)
		setvbuf(stdout, NULL, _IOLBF, 0);
	if (strcmp(argv[1], "none") == 0)
		setvbuf(stdout, NULL, _IONBF, 0);
	if (strcmp(argv[1], "small") == 0)
		setvbuf(stdout, own, _IOFBF, sizeof(own));
	if (strcmp(argv[1], "wide") == 0)
		wide();
	else
		all();
	return 0;
}

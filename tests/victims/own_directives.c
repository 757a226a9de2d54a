/*
 * Directives that a program registers after their formats were used without:
 * a letter that means nothing, and one of libc's, by either function; and that
 * are taken back.
 */
#include <printf.h>
#include <stdio.h>
#include <string.h>

static int print(FILE *file, const struct printf_info *info, const void *const *arguments)
{
	int number = *(const int *)arguments[0];

	fputc('<', file);
	fputc('0' + number % 10, file);
	fputs(">", file);
	return 3;
}

static int take(const struct printf_info *info, size_t n, int *types, int *size)
{
	if (n > 0) {
		types[0] = PA_INT;
		size[0] = sizeof(int);
	}
	return 1;
}

static int take_typed(const struct printf_info *info, size_t n, int *types)
{
	if (n > 0)
		types[0] = PA_INT;
	return 1;
}

/* Of each format all uses have one place. */
static void say(void)
{
	static const char *const formats[] = {"value %d\n", "%W %%\n", "%x %5d\n", "%5.1x %s\n"};

	for (int i = 0; i < 3; i++) {
		printf("value %d\n", i);
		for (size_t f = 0; f < 3; f++) {
			printf(formats[f], i, 7);
			fprintf(stderr, formats[f], i, 8);
			fflush(stdout);
			dprintf(1, formats[f], i, 9);
		}
		printf(formats[3], i, "text");
	}
}

int main(int argc, char **argv)
{
	say();
	register_printf_specifier('W', print, take);
	say();
	if (strcmp(argv[1], "d") == 0)
		register_printf_specifier('d', print, take);
	else
		register_printf_function('x', print, take_typed);
	say();
	register_printf_specifier('d', NULL, NULL);
	register_printf_function('x', NULL, NULL);
	say();
	return 0;
}

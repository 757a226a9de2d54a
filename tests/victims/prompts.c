/*
 * prompts KIND: asks the person at the terminal in one of many ways.  Whole
 * lines come before, between and after; descriptor 9 gets the answers.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static char answer[200];

static void got(const char *text)
{
	size_t n = text ? strcspn(text, "\n") : 0;

	dprintf(9, "<%.*s>\n", (int)n, text);
	printf("thank you, %.*s\n", (int)n, text);
}

static void ask_fgets(void)
{
	printf("name%c ", '?');
	got(fgets(answer, sizeof(answer), stdin));
	printf("town? ");
	got(fgets(answer, sizeof(answer), stdin));
}

static void ask_fgets_literal(void)
{
	fputs("a line\nname? ", stdout);
	got(fgets(answer, sizeof(answer), stdin));
}

static void ask_getline(void)
{
	char *line = NULL;
	size_t room = 0;

	fputs("name? ", stdout);
	getline(&line, &room, stdin);
	got(line);
	printf("%s", "town? ");
	getdelim(&line, &room, '\n', stdin);
	got(line);
}

static void ask_scanf(void)
{
	char word[100];
	int number;

	printf("name? ");
	scanf("%99s", word);
	got(word);
	printf("number? "); /* the newline of the answer is still there */
	scanf("%d", &number);
	sprintf(word, "%d", number + 1);
	got(word);
	printf("last? ");
	fscanf(stdin, " %99s", word);
	got(word);
}

static void ask_characters(void)
{
	size_t n = 0;
	int c;

	putchar('n');
	putchar('?');
	putchar(' ');
	while ((c = getchar()) != EOF && c != '\n')
		answer[n++] = (char)c;
	got(answer);
	putc_unlocked('m', stdout);
	putc_unlocked('?', stdout);
	putc_unlocked(' ', stdout);
	memset(answer, 0, sizeof(answer));
	n = 0;
	while ((c = getc_unlocked(stdin)) != EOF && c != '\n')
		answer[n++] = (char)c;
	got(answer);
}

static void ask_fread(void)
{
	printf("three? ");
	fread(answer, 1, 3, stdin);
	got(answer);
}

/* Natively this would not be seen: nothing flushes stdout. */
static void ask_read(void)
{
	printf("town? ");
	read(0, answer, sizeof(answer));
	got(answer);
}

static void ask_write(void)
{
	write(1, "name? ", 6);
	read(0, answer, sizeof(answer));
	got(answer);
	printf("age? ");
	fflush(stdout);
	readv(0, &(struct iovec){answer, sizeof(answer)}, 1);
	got(answer);
}

static void ask_stderr(void)
{
	fprintf(stderr, "sure (%s)? ", "y/n");
	got(fgets(answer, sizeof(answer), stdin));
	fprintf(stderr, "a whole line on stderr\n");
	fputs("really? ", stderr);
	got(fgets(answer, sizeof(answer), stdin));
	perror("cause");
}

static void ask_in_pieces(void)
{
	printf("foo");
	printf("bar\n");
	printf("your ");
	puts("hidden line");
	printf("your ");
	printf("%s", "name");
	fputc('?', stdout);
	printf(" ");
	got(fgets(answer, sizeof(answer), stdin));
	fputs("on ", stderr);
	fputs("stderr? ", stderr);
	got(fgets(answer, sizeof(answer), stdin));
}

static void progress(void)
{
	struct timespec shortly = {0, 1000000};

	for (int i = 0; i <= 100; i += 50) {
		printf("\r%3d%%", i);
		fflush(stdout);
		nanosleep(&shortly, NULL);
	}
	printf(" done\n");
	printf("not shown any more\n");
	fprintf(stderr, "wait...");
	errno = ENOENT;
	perror("failed");
	printf("nor is this\n");
}

static void echo(int on)
{
	struct termios settings;

	tcgetattr(0, &settings);
	settings.c_lflag &= ~(tcflag_t)ECHO;
	settings.c_lflag |= on ? ECHO : 0;
	tcsetattr(0, TCSANOW, &settings);
}

static void password(void)
{
	printf("user? ");
	fflush(stdout);
	got(fgets(answer, sizeof(answer), stdin));
	echo(0);
	printf("password: ");
	fflush(stdout);
	fgets(answer, sizeof(answer), stdin);
	echo(1);
	printf("\n");
	dprintf(9, "<%s>\n", strtok(answer, "\n"));
	printf("not shown\n");
	dprintf(9, "<%s>\n", getpass("once more: "));
	printf("nor this\n");
}

static void full_screen(void)
{
	struct termios before, raw;
	char key = 0;

	printf("not shown\n");
	tcgetattr(0, &before);
	raw = before;
	cfmakeraw(&raw);
	tcsetattr(0, TCSANOW, &raw);
	printf("\033[2J\033[1;1Htitle\r\n");
	printf("line %d\r\n", 2);
	puts("puts\r");
	fflush(stdout);
	write(1, "press a key\r\n", 13);
	read(0, &key, 1);
	tcsetattr(0, TCSANOW, &before);
	printf("\033[?25h\n");
	printf("not shown, either\n");
	dprintf(9, "<%c>\n", key);
}

static void wide(void)
{
	wchar_t line[100];
	int number;

	wprintf(L"name? ");
	fgetws(line, 100, stdin);
	dprintf(9, "<%ls>", line);
	wprintf(L"a whole line\n");
	fputws(L"number? ", stdout);
	wscanf(L"%d", &number);
	dprintf(9, "<%d>\n", number);
	wprintf(L"again? ");
	wscanf(L"%d", &number);
	dprintf(9, "<%d>\n", number);
}

static void at_exit(void)
{
	printf("a whole line\nand an unfinished");
}

static void long_lines(void)
{
	char text[5000];

	memset(text, 'x', sizeof(text));
	text[4999] = '\0';
	text[0] = 'A';
	printf("%s", text);
	printf("\n");
	printf("B%s? ", text + 1);
	got(fgets(answer, sizeof(answer), stdin));
}

static void colours(void)
{
	printf("\033[31ma whole line\n\033[0m");
	fflush(stdout);
	printf("not shown\n\033]0;title\a");
	fflush(stdout);
	printf("nor this\n");
	printf("\033[31mred? ");
	got(fgets(answer, sizeof(answer), stdin));
}

/* A program that copies a file: full buffers end anywhere. */
static void blocks(void)
{
	static char text[8192 + 6];

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = i % 50 == 49 ? '\n' : 'b';
	text[sizeof(text) - 1] = '\n';
	write(1, text, 4096);
	write(1, text + 4096, 4096);
	write(1, text + 8192, 6);
}

static const struct {
	const char *name;
	void (*run)(void);
} kinds[] = {
	{"fgets", ask_fgets},
	{"literal", ask_fgets_literal},
	{"getline", ask_getline},
	{"scanf", ask_scanf},
	{"characters", ask_characters},
	{"fread", ask_fread},
	{"read", ask_read},
	{"write", ask_write},
	{"stderr", ask_stderr},
	{"pieces", ask_in_pieces},
	{"progress", progress},
	{"password", password},
	{"raw", full_screen},
	{"wide", wide},
	{"exit", at_exit},
	{"long", long_lines},
	{"colours", colours},
	{"blocks", blocks},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strcmp(argv[1], kinds[i].name) == 0) {
			if (strcmp(argv[1], "wide") != 0)
				printf("hello, this is %s\n", argv[1]);
			kinds[i].run();
			return 0;
		}
	return 96;
}

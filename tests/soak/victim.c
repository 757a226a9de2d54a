/*
 * A program that does what a script says: one action a line (tests/soak/run
 * makes them from a seed), with blocks that other processes, threads, handlers
 * and jumps run.  What every call returned goes to a report by system calls of
 * its own, which no library sees: natively and recorded it has to be the same.
 *
 * victim SCRIPT REPORT [FROM]: FROM is the line of a block, for what is
 * executed anew.
 *
 * An argument is a letter and a value: i123 number, sTEXT string (=XX is a
 * byte), STEXT wide string, v7 the descriptor that was put into variable 7,
 * f1.5 double, n0 address of a counter for %n, # how often the innermost loop
 * has gone round.
 */
#include "victim.h"

struct action actions[ACTIONS];
static int action_count;
char *script_path, *report_path;
FILE *files[FILES];
long numbers[NUMBERS], counted[8];
__thread const char *tag = "M";
__thread long turn;

#define ROW(name, block) {#name, do_##name, block},
static const struct verb verbs[] = {VERBS(ROW){"end", NULL, 0}};

char *decimal(char *to, long value)
{
	char digits[24];
	int n = 0;
	unsigned long rest =
		value < 0 ? -(unsigned long)value : (unsigned long)value;
	if (value < 0)
		*to++ = '-';
	do
		digits[n++] = '0' + rest % 10;
	while (rest /= 10);
	while (n)
		*to++ = digits[--n];
	return to;
}
void report(int line, const char *what, long value, int error)
{
	char text[200], *end = text;
	for (const char *from = tag; *from;)
		*end++ = *from++;
	*end++ = ' ';
	end = decimal(end, line);
	*end++ = ' ';
	while (*what)
		*end++ = *what++;
	*end++ = ' ';
	end = decimal(end, value);
	if (error) {
		*end++ = ' ';
		end = decimal(end, error);
	}
	*end++ = '\n';
	kernel(SYS_write, REPORT, (long)text, end - text, 0);
}

void run(int from, int to)
{
	for (int i = from; i < to; i = actions[i].end + 1) {
		struct action *a = &actions[i];
		if (!a->verb->act)
			continue;
		errno = 0;
		long result = a->verb->act(a);
		int error = result < 0 && result != NOTHING ? errno : 0;
		report(i, a->verb->name, result, error);
	}
}

/* ---- the script ---- */
static void complain(const char *why)
{
	kernel(SYS_write, REPORT, (long)why, strlen(why), 0);
	kernel(SYS_exit_group, 99, 0, 0, 0);
}
static void parse_argument(struct argument *to, char *word)
{
	char *out = word + 1, *from = word + 1;
	to->type = word[0];
	switch (word[0]) {
	case 's':
	case 'S':
		for (; *from; from++) {
			unsigned int byte;
			if (*from != '=')
				*out++ = *from;
			else if (from[1] &&
				 sscanf(from + 1, "%2x", &byte) == 1) {
				*out++ = byte;
				from += 2;
			}
		}
		*out = 0;
		to->text = word + 1;
		to->length = out - (word + 1);
		if (word[0] == 'S') {
			to->wide = calloc(to->length + 1, sizeof *to->wide);
			for (size_t i = 0; i < to->length; i++)
				to->wide[i] = (unsigned char)to->text[i];
		}
		break;
	case 'f':
		to->real = strtod(word + 1, NULL);
		break;
	default:
		to->number = strtol(word + 1, NULL, 0);
	}
}
static void parse(char *text)
{
	int open[64], depth = 0;
	char *next;
	for (char *line = text; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		struct action *a = &actions[action_count];
		char *rest = NULL, *word = strtok_r(line, " ", &rest);
		a->verb = &verbs[sizeof verbs / sizeof *verbs - 1];
		a->end = action_count;
		if (word && word[0] != '#') {
			for (a->verb = verbs; strcmp(a->verb->name, word);)
				if (++a->verb ==
					verbs + sizeof verbs / sizeof *verbs)
					complain("no such verb\n");
			while (a->count < ARGUMENTS &&
				(word = strtok_r(NULL, " ", &rest)))
				parse_argument(&a->argument[a->count++], word);
			if (a->verb->block)
				open[depth++ & 63] = action_count;
			else if (!a->verb->act && depth)
				actions[open[--depth & 63]].end = action_count;
		}
		if (++action_count == ACTIONS)
			complain("too long\n");
	}
	while (depth)
		actions[open[--depth & 63]].end = action_count;
}

int main(int argc, char **argv)
{
	script_path = argv[1];
	report_path = argv[2];
	long script = kernel(SYS_openat, AT_FDCWD, (long)argv[1], O_RDONLY, 0);
	static char text[1 << 20];
	long size = 0, got;
	while ((got = kernel(SYS_read, script, (long)text + size,
			sizeof text - 1 - size, 0)) > 0)
		size += got;
	kernel(SYS_close, script, 0, 0, 0);
	long d = kernel(SYS_openat, AT_FDCWD, (long)argv[2],
		O_WRONLY | O_APPEND | O_CREAT, 0600);
	if (d != REPORT) {
		kernel(SYS_dup3, d, REPORT, O_CLOEXEC, 0);
		kernel(SYS_close, d, 0, 0, 0);
	}
	setlocale(LC_ALL, "C.UTF-8");
	parse(text);
	files[1] = stdout;
	files[2] = stderr;
	if (argc > 3) {
		struct action *a = &actions[atoi(argv[3])];
		run_block(a);
		report(a - actions, "executed", 0, 0);
		return 9;
	}
	run(0, action_count);
	report(action_count, "all", 0, 0);
	return 0;
}

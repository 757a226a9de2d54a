#include "tools/ctl/overview.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/sandbox.h"
#include "tools/live/targets.h"

enum { NAME_COLUMNS = 16 };

static int is_number(const struct dirent *entry)
{
	return isdigit((unsigned char)*entry->d_name);
}

static int by_number(const struct dirent **a, const struct dirent **b)
{
	long x = strtol((*a)->d_name, NULL, 10);
	long y = strtol((*b)->d_name, NULL, 10);

	return (x > y) - (x < y);
}

/* Readers have captures mapped, too, and who watches a program for binlog-run.
 */
static bool is_ours(const struct target *target)
{
	return strncmp(target->label, "binlog-", 7) == 0;
}

/* A line of the table; of several captures the first one is shown. */
static void put_process(int process, const struct target *target)
{
	char name[sizeof(target->label)];
	char *number;
	size_t length;

	snprintf(name, sizeof(name), "%s", target->label);
	number = strrchr(name, '[');
	if (number)
		*number = '\0';
	length = strlen(name);
	printf("%7d  ", process);
	ctl_say_put(stdout, name);
	printf("%*s",
		(int)(length < NAME_COLUMNS ? NAME_COLUMNS - length : 0) + 2,
		"");
	ctl_say_put(stdout, target->path);
	putchar('\n');
}

static void put_examples(int process)
{
	static const char *const examples[][2] = {
		{"status", "how much it says, and from where"},
		{"level=err",
			"record only errors; level=all: everything again"},
		{"rule 'format \"*retry*\" drop'",
			"nothing of this text; rules= removes the rules"},
		{"snapshot now.blog",
			"copy what is there: binlog-show now.blog"},
	};
	size_t i;

	puts("\nFor example (binlog-ctl --help has all words; a directory of "
	     "captures instead\nof a process: all that write to it):\n");
	for (i = 0; i < sizeof(examples) / sizeof(*examples); i++)
		printf("  binlog-ctl %d %-28s  %s\n", process, examples[i][0],
			examples[i][1]);
}

enum exit_status overview_say(void)
{
	const struct sandbox_needs needs = {
		.needs = SANDBOX_PROCESSES | SANDBOX_SHARES};
	const char *wrong = sandbox_enter(&needs);
	struct dirent **processes;
	int last = 0;
	int count, i;

	if (wrong)
		return ctl_say_complaint(wrong, NULL);
	count = scandir("/proc", &processes, is_number, by_number);
	for (i = 0; i < count; i++) {
		struct targets targets = {0};

		if (targets_open(&targets, processes[i]->d_name, false) &&
			!is_ours(&targets.all[0])) {
			if (last == 0)
				puts("    PID  PROGRAM           CAPTURE");
			last = (int)targets.process;
			put_process(last, &targets.all[0]);
		}
		targets_close(&targets);
		free(processes[i]);
	}
	if (count >= 0)
		free(processes);
	if (last == 0)
		return ctl_say_complaint("no program is recorded now that you "
					 "may look at",
			"start one by binlog-run, or see binlog-ctl --help");
	put_examples(last);
	return ctl_say_finish(EXIT_DONE);
}

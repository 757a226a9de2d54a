/*
 * Runs the program of its own name, made for another processor, in an emulator; what is to be preloaded is preloaded
 * there.  Built with -static, so that nothing is preloaded into itself.  Has what it needs in itself, since daemons execute
 * themselves with another environment.
 */
#include <err.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const char *name = strrchr(argv[0], '/');
	const char *preload = getenv("LD_PRELOAD");
	char **words = calloc((size_t)argc + 8, sizeof(*words));
	char link[PATH_MAX], program[PATH_MAX];
	char *variable;
	size_t count = 0;

	snprintf(link, sizeof(link), "%s/%s", PROGRAMS, name ? name + 1 : argv[0]);
	if (!words || !realpath(link, program))
		err(127, "%s", link);
	words[count++] = EMULATOR;
	words[count++] = "-L";
	words[count++] = ROOT;
	if (preload && asprintf(&variable, "LD_PRELOAD=%s", preload) > 0) {
		words[count++] = "-E";
		words[count++] = variable;
		unsetenv("LD_PRELOAD");
	}
	words[count++] = "-0";
	words[count++] = argv[0];
	words[count++] = program;
	memcpy(&words[count], &argv[1], (size_t)argc * sizeof(*argv));
	execvp(words[0], words);
	err(127, "%s", words[0]);
}

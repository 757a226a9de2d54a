/*
 * What it is given reaches its capture by every way that a name or a text can:
 *   hostile_names TEXT LIBRARY LOG NAME [stay]
 * TEXT is a file of bytes to be said, LIBRARY says a line by its say(), LOG is
 * a file to write to, NAME a thread, an ident, an argument.  With `stay` it
 * goes on until standard input ends.  Its own names are placeholders of the
 * lengths of those that they are overwritten with.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <syslog.h>
#include <unistd.h>

#line 17 "hostile_source_file_that_is_overwritten_with_bytes_of_the_same_length_by_the_test.c"
static __attribute__((noinline)) void
hostile_function_that_is_overwritten_with_bytes_of_the_same_length_by_the_test(
	const char *name, int n)
{
	printf("zFORMz\033[35m\033]0;t\a\x9b\xe2\x80\xae\x7f\b%d name=%s at %p\n",
		n, name, stdout);
}

static void say_file(const char *path)
{
	static char bytes[1 << 20];
	FILE *file = fopen(path, "r");
	size_t n = file ? fread(bytes, 1, sizeof(bytes), file) : 0;

	fwrite(bytes, 1, n, stdout);
	putchar('\n');
}

static void say_elsewhere(const char *library, const char *log)
{
	void *loaded = dlopen(library, RTLD_NOW);
	void (*say)(void) = loaded ? (void (*)(void))dlsym(loaded, "say") : NULL;
	FILE *file = fopen(log, "w");

	if (!say || !file)
		exit(1);
	say();
	fprintf(file, "zFILEz to a file\n");
	fclose(file);
}

int main(int argc, char **argv)
{
	const char *name = argv[4];
	char byte;
	int i;

	prctl(PR_SET_NAME, name);
	openlog(name, 0, LOG_USER);
	for (i = 0; i < 3; i++) {
		hostile_function_that_is_overwritten_with_bytes_of_the_same_length_by_the_test(name, i);
		syslog(LOG_ERR, "zSYSLOGz %s %d", name, i);
	}
	say_file(argv[1]);
	say_elsewhere(argv[2], argv[3]);
	while (argc > 5 && read(0, &byte, 1) > 0)
		;
	return 0;
}

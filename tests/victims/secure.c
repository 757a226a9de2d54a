/* What a privileged program says, and what it finds in its environment. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <syslog.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const char *preload = getenv("LD_PRELOAD");

	printf("hello, %s\n", argc > 1 ? argv[1] : "nobody");
	fprintf(stderr, "secure %lu, user %d %d\n", getauxval(AT_SECURE),
		(int)getuid(), (int)geteuid());
	if (getenv("SHOW"))
		printf("preload %s\n", preload ? preload : "-");
	perror("an error");
	fflush(stdout);
	if (argc > 2)
		execlp(argv[2], argv[2], "of a privileged program", NULL);
	return getauxval(AT_SECURE) ? 7 : 8;
}

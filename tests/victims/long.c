/* long: texts that are longer than any block. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static char *text(size_t length)
{
	char *s = malloc(length + 1);

	for (size_t i = 0; i < length; i++)
		s[i] = (char)(i % 83 == 82 ? '\n' : 33 + i * 7 % 90);
	s[length] = '\0';
	return s;
}

int main(void)
{
	char *medium = text(100000), *large = text(3000000),
	     *huge = text(5000000);
	struct iovec parts[2] = {{large, 3000000}, {medium, 100000}};

	/* Around the sizes at which something changes. */
	for (size_t n = 16300; n < 16500; n += 7)
		printf("%d\n", printf("%zu %.*s\n", n, (int)n, medium));
	for (size_t n = 24500; n < 24700; n += 7)
		printf("%d\n", printf("%zu %.*s|%s\n", n, (int)n, medium, "x"));
	for (size_t n = 32000; n < 33000; n += 37)
		fwrite(huge, 1, n, stdout);
	for (size_t n = 4000; n < 4200; n += 3)
		printf("%s|%s|%zu\n", medium + 100000 - n, medium + 95000, n);
	printf("%d\n", printf("%s\n", medium));
	printf("%d\n", printf("%s and %d\n", large, 5));
	printf("%d\n", printf("%s %s\n", medium, large));
	printf("%d\n", printf("%200000d|%-100000s|%.50000f\n", 7, "x", 0.1));
	printf("%zu\n", fwrite(huge, 1000, 5000, stdout));
	printf("%d\n", puts(large) >= 0);
	printf("%d\n", fputs(medium, stdout) >= 0);
	fflush(stdout);
	dprintf(1, "%zd\n", write(1, huge, 5000000));
	dprintf(1, "%zd\n", writev(1, parts, 2));
	warnx("%s", medium);
	fprintf(stderr, "%s\n", large);
	return 0;
}

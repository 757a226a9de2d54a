/* A library's constructor: the loader runs it before that of the program. */
#include <string.h>

#include "snippets.h"

__attribute__((constructor)) static void construct(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[2], "constructor") == 0)
		snippets_run(argv[1]);
}

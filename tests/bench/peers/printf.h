/* fprintf to stdout. */
#include "tests/bench/messages.h"

#define SAY(...) fprintf(stdout, __VA_ARGS__)
#define MESSAGES(X) SIX_MESSAGES(X, SAY, "\n")

static void peer_begin(void)
{
}

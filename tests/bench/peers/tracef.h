/* LTTng-UST's tracef(): the text is made by the program. */
#include <lttng/tracef.h>

#include "tests/bench/messages.h"

#define MESSAGES(X) SIX_MESSAGES(X, tracef, "")

static void peer_begin(void)
{
}

/* syslog(); with MASKED=1 in the environment, of a level that is not wanted. */
#include <stdlib.h>
#include <syslog.h>

#include "tests/bench/messages.h"

static int peer_level;

#define SAY(...) syslog(peer_level, __VA_ARGS__)
#define MESSAGES(X) SIX_MESSAGES(X, SAY, "")

static void peer_begin(void)
{
	peer_level = getenv("MASKED") ? LOG_DEBUG : LOG_NOTICE;
	openlog("messages", 0, LOG_USER);
}

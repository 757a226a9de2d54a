/* A typed tracepoint of LTTng-UST for each message. */
#define TRACEPOINT_DEFINE
#define TRACEPOINT_CREATE_PROBES
#include "tests/bench/peers/tracepoint_provider.h"

#define MESSAGES(X)                                                            \
	X(m1, tracepoint(bench, m1))                                           \
	X(m2, tracepoint(                                                      \
		      bench, m2, "basic+udp:host=192.168.1.140,port=12246"))   \
	X(m3, tracepoint(bench, m3, 181))                                      \
	X(m4, tracepoint(bench, m4, 1032024u, 1016544u))                       \
	X(m5, tracepoint(bench, m5, 0.4))                                      \
	X(m6, tracepoint(bench, m6, 50000u, 97u, 50u, 0u, 26.2))

static void peer_begin(void)
{
}

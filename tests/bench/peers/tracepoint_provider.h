/* The tracepoints of tracepoint.h, as LTTng-UST wants them: read several times.
 */
#undef TRACEPOINT_PROVIDER
#define TRACEPOINT_PROVIDER bench
#undef TRACEPOINT_INCLUDE
#define TRACEPOINT_INCLUDE "tests/bench/peers/tracepoint_provider.h"

#if !defined(BENCH_TRACEPOINT_PROVIDER_H) ||                                   \
	defined(TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_TRACEPOINT_PROVIDER_H

#include <lttng/tracepoint.h>

TRACEPOINT_EVENT(bench, m1, TP_ARGS(), TP_FIELDS())
TRACEPOINT_EVENT(bench, m2, TP_ARGS(const char *, where),
	TP_FIELDS(ctf_string(where, where)))
TRACEPOINT_EVENT(bench, m3, TP_ARGS(int, a), TP_FIELDS(ctf_integer(int, a, a)))
TRACEPOINT_EVENT(bench, m4, TP_ARGS(unsigned, a, unsigned, b),
	TP_FIELDS(ctf_integer(unsigned, a, a) ctf_integer(unsigned, b, b)))
TRACEPOINT_EVENT(
	bench, m5, TP_ARGS(double, a), TP_FIELDS(ctf_float(double, a, a)))
TRACEPOINT_EVENT(bench, m6,
	TP_ARGS(unsigned, a, unsigned, b, unsigned, c, unsigned, d, double, e),
	TP_FIELDS(ctf_integer(unsigned, a, a) ctf_integer(unsigned, b, b)
			ctf_integer(unsigned, c, c) ctf_integer(unsigned, d, d)
				ctf_float(double, e, e)))

#endif

#include <lttng/tracepoint-event.h>

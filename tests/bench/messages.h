/*
 * The six messages of NanoLog's benchmark, with its arguments, as X(name, call)
 * where call is SAY(format, arguments...); each ends with END.
 */
#ifndef BENCH_MESSAGES_H
#define BENCH_MESSAGES_H

#define SIX_MESSAGES(X, SAY, END)                                              \
	X(m1, SAY("Starting backup replica garbage collector thread" END))     \
	X(m2, SAY("Opened session with coordinator at %s" END,                 \
		      "basic+udp:host=192.168.1.140,port=12246"))              \
	X(m3, SAY("Backup storage speeds (min): %d MB/s read" END, 181))       \
	X(m4, SAY("buffer has consumed %u bytes of extra storage, "            \
		  "current allocation: %u bytes" END,                          \
		      1032024u, 1016544u))                                     \
	X(m5, SAY("Using tombstone ratio balancer with ratio = %0.6lf" END,    \
		      0.4))                                                    \
	X(m6, SAY("Initialized InfUdDriver buffers: %u receive buffers "       \
		  "(%u MB), %u transmit buffers (%u MB), took %0.1lf ms" END,  \
		      50000u, 97u, 50u, 0u, 26.2))

#endif

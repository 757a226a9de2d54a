/*
 * spdlog's asynchronous logger, as its documentation sets it up: a queue of
 * 8192, one thread that writes to the file PEER_FILE.  C++.
 */
#include <spdlog/async.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>

static spdlog::logger *peer_logger;

#define MESSAGES(X)                                                            \
	X(m1, peer_logger->info(                                               \
		      "Starting backup replica garbage collector thread"))     \
	X(m2, peer_logger->info("Opened session with coordinator at {}",       \
		      "basic+udp:host=192.168.1.140,port=12246"))              \
	X(m3, peer_logger->info(                                               \
		      "Backup storage speeds (min): {} MB/s read", 181))       \
	X(m4, peer_logger->info("buffer has consumed {} bytes of extra "       \
				"storage, current allocation: {} bytes",       \
		      1032024u, 1016544u))                                     \
	X(m5, peer_logger->info(                                               \
		      "Using tombstone ratio balancer with ratio = {:.6f}",    \
		      0.4))                                                    \
	X(m6, peer_logger->info("Initialized InfUdDriver buffers: {} receive " \
				"buffers ({} MB), {} transmit buffers "        \
				"({} MB), took {:.1f} ms",                     \
		      50000u, 97u, 50u, 0u, 26.2))

static void peer_begin(void)
{
	static auto kept = spdlog::basic_logger_mt<spdlog::async_factory>(
		"bench", getenv("PEER_FILE"), true);

	peer_logger = kept.get();
}

#include <sys/socket.h>

#include "shim/host/sys.h"
#include "shim/stdio/stdio_buffer.h"
#include "shim/streams/streams.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/*
 * send() and its relatives to an output that is a socket: as write(), as long
 * as nothing goes along that is no text.
 */

/* They say how to send, and not what. */
#define FLAGS_KNOWN (MSG_NOSIGNAL | MSG_DONTWAIT | MSG_MORE | MSG_EOR)

/* The stream, or STREAM_PASS: of most programs no output is a socket, so that
 * none is looked at but the first. */
static unsigned stream_of(int fd)
{
	return streams_may_be_socket(fd) ? streams_of(fd) : STREAM_PASS;
}

/* It is sent, and what of it is recorded nobody knows. */
static ssize_t count_sent(ssize_t sent)
{
	if (sent > 0)
		writer_count_passed();
	return sent;
}

static void record_sent(const struct call *call, unsigned stream,
	const struct iovec *v, ssize_t sent)
{
	for (ssize_t done = 0; done < sent; v++) {
		size_t part = v->iov_len;

		if (part > (size_t)(sent - done))
			part = (size_t)(sent - done);
		if (part > 0 && !capture_bytes(call, stream, BINLOG_TEXT_BYTES,
					v->iov_base, part))
			writer_count_passed();
		done += (ssize_t)part;
	}
}

ssize_t socket_send(const struct call *call, int fd, const void *p, size_t size,
	int flags, const struct sockaddr *to, socklen_t to_size)
{
	const struct iovec v = {(void *)(uintptr_t)p, size};
	const __CONST_SOCKADDR_ARG where = {.__sockaddr__ = to};
	unsigned stream = stream_of(fd);
	ssize_t sent;

	if (stream == STREAM_PASS)
		return next_sendto(fd, p, size, flags, where, to_size);
	if (to || flags & ~FLAGS_KNOWN)
		return count_sent(
			next_sendto(fd, p, size, flags, where, to_size));
	if (!streams[stream].tee)
		return write_bytes(call, fd, p, size);
	stdio_buffer_catch_up(call);
	sent = next_sendto(fd, p, size, flags, where, 0);
	record_sent(call, stream, &v, sent);
	return sent;
}

ssize_t socket_message(const struct call *call, int fd,
	const struct msghdr *message, int flags)
{
	unsigned stream = stream_of(fd);
	ssize_t sent;

	if (stream == STREAM_PASS || !sys_is_readable(message))
		return next_sendmsg(fd, message, flags);
	if (message->msg_name || message->msg_controllen > 0 ||
		flags & ~FLAGS_KNOWN || message->msg_iovlen > IOV_MAX)
		return count_sent(next_sendmsg(fd, message, flags));
	if (!streams[stream].tee)
		return write_vector(
			call, fd, message->msg_iov, (int)message->msg_iovlen);
	stdio_buffer_catch_up(call);
	sent = next_sendmsg(fd, message, flags);
	record_sent(call, stream, message->msg_iov, sent);
	return sent;
}

/* One after the other, up to the first that is not sent as a whole. */
int socket_messages(const struct call *call, int fd, struct mmsghdr *messages,
	unsigned count, int flags)
{
	unsigned done;

	if (stream_of(fd) == STREAM_PASS || !sys_is_readable(messages))
		return next_sendmmsg(fd, messages, count, flags);
	for (done = 0; done < count && done < IOV_MAX; done++) {
		ssize_t sent = socket_message(
			call, fd, &messages[done].msg_hdr, flags);

		if (sent < 0)
			return done > 0 ? (int)done : -1;
		messages[done].msg_len = (unsigned)sent;
	}
	return (int)done;
}

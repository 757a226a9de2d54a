#include "symbolizer/worker/wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

union control {
	struct cmsghdr head;
	char room[CMSG_SPACE(sizeof(int))];
};

void wire_put_raw(struct wire_writer *packet, const void *bytes, size_t count)
{
	if (sizeof(packet->data) - packet->length < count) {
		packet->full = true;
		return;
	}
	memcpy(packet->data + packet->length, bytes, count);
	packet->length += count;
}

void wire_begin(struct wire_writer *packet, enum wire_kind kind)
{
	packet->length = 0;
	packet->full = false;
	wire_put_u32(packet, kind);
}

void wire_put_u32(struct wire_writer *packet, uint32_t value)
{
	wire_put_raw(packet, &value, sizeof(value));
}

void wire_put_u64(struct wire_writer *packet, uint64_t value)
{
	wire_put_raw(packet, &value, sizeof(value));
}

void wire_put_bytes(struct wire_writer *packet, const void *bytes, size_t count)
{
	wire_put_u64(packet, count);
	if (count > 0)
		wire_put_raw(packet, bytes, count);
}

/* With its NUL, so that the reader may point to it; null has no bytes. */
void wire_put_string(struct wire_writer *packet, const char *string)
{
	wire_put_bytes(packet, string, string ? strlen(string) + 1 : 0);
}

static const void *take(struct wire_reader *packet, uint64_t count)
{
	const uint8_t *data = packet->data;

	if (packet->bad || packet->left < count) {
		packet->bad = true;
		return NULL;
	}
	packet->data += count;
	packet->left -= count;
	return data;
}

uint32_t wire_take_u32(struct wire_reader *packet)
{
	const void *data = take(packet, sizeof(uint32_t));
	uint32_t value = 0;

	if (data)
		memcpy(&value, data, sizeof(value));
	return value;
}

uint64_t wire_take_u64(struct wire_reader *packet)
{
	const void *data = take(packet, sizeof(uint64_t));
	uint64_t value = 0;

	if (data)
		memcpy(&value, data, sizeof(value));
	return value;
}

const uint8_t *wire_take_bytes(struct wire_reader *packet, size_t *count)
{
	uint64_t wanted = wire_take_u64(packet);
	const uint8_t *bytes = take(packet, wanted);

	*count = bytes ? wanted : 0;
	return *count > 0 ? bytes : NULL;
}

const char *wire_take_string(struct wire_reader *packet)
{
	size_t count;
	const char *string = (const char *)wire_take_bytes(packet, &count);

	if (!string || strnlen(string, count) == count - 1)
		return string;
	packet->bad = true;
	return NULL;
}

bool wire_send(
	int socket, const struct wire_writer *packet, int descriptor, int flags)
{
	union control control = {0};
	/* sendmsg() takes the constant bytes as such */
	struct iovec piece = {(void *)(uintptr_t)packet->data, packet->length};
	struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
	ssize_t sent;

	if (descriptor >= 0) {
		message.msg_control = control.room;
		message.msg_controllen = sizeof(control.room);
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(sizeof(descriptor));
		memcpy(CMSG_DATA(&control.head), &descriptor,
			sizeof(descriptor));
	}
	do
		sent = sendmsg(socket, &message, flags | MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent == (ssize_t)packet->length;
}

static int descriptor_of(const struct msghdr *message)
{
	const struct cmsghdr *head = CMSG_FIRSTHDR(message);
	int descriptor = -1;

	if (head && head->cmsg_level == SOL_SOCKET &&
		head->cmsg_type == SCM_RIGHTS &&
		head->cmsg_len == CMSG_LEN(sizeof(descriptor)))
		memcpy(&descriptor, CMSG_DATA(head), sizeof(descriptor));
	return descriptor;
}

uint32_t wire_receive(int socket, void *room, struct wire_reader *packet,
	int *descriptor, int flags)
{
	union control control = {0};
	struct iovec piece = {room, WIRE_BYTES_MAX};
	struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
	ssize_t got;

	/* without room for them the kernel closes what descriptors come */
	if (descriptor) {
		message.msg_control = control.room;
		message.msg_controllen = sizeof(control.room);
	}
	do
		got = recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return 0;
	errno = 0;
	if (descriptor)
		*descriptor = descriptor_of(&message);
	*packet = (struct wire_reader){.data = room, .left = (size_t)got};
	return (message.msg_flags & MSG_TRUNC) ? 0 : wire_take_u32(packet);
}

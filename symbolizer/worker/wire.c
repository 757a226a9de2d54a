#include "symbolizer/worker/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/array.h"
#include "base/bytehash.h"

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

/*
 * Names on the wire: each is said once, and from then on by its number.  Called
 * by workerloop, which says the names of a file's answers, and by
 * worker, which puts them into the store of that file.  Promises that
 * both ends mean the same name, also after a packet was given up or the store
 * was emptied, and that numbers which were never given are refused.
 *
 * A name is a u32: 0 is null, one more than there are is a new one, that
 * follows, and any other one a name that was said before.
 */

#define SLOTS_FIRST 1024

static size_t slot_for(const struct wirenames_said *said, const char *name)
{
	return bytehash_mix(0, (uintptr_t)name) & (said->slot_room - 1);
}

/* What was taken back has left its slot behind. */
static bool is_number_of(
	const struct wirenames_said *said, uint32_t number, const char *name)
{
	return number <= said->count && said->names[number - 1] == name;
}

/* With its number; with 0 when it has not been said. */
static size_t slot_of(const struct wirenames_said *said, const char *name)
{
	size_t slot = slot_for(said, name);

	while (said->slots[slot] != 0 &&
		!is_number_of(said, said->slots[slot], name))
		slot = (slot + 1) & (said->slot_room - 1);
	return slot;
}

/* At most half of the slots are taken. */
static bool make_room(struct wirenames_said *said)
{
	size_t room = SLOTS_FIRST;
	uint32_t number;
	size_t slot;

	if (said->slots_taken < said->slot_room / 2)
		return true;
	while (room / 4 < said->count)
		room *= 2;
	free(said->slots);
	said->slots = calloc(room, sizeof(*said->slots));
	said->slot_room = said->slots ? room : 0;
	said->slots_taken = 0;
	if (!said->slots)
		return false;
	for (number = 1; number <= said->count; number++) {
		slot = slot_for(said, said->names[number - 1]);
		while (said->slots[slot] != 0)
			slot = (slot + 1) & (room - 1);
		said->slots[slot] = number;
		said->slots_taken++;
	}
	return true;
}

bool wirenames_put(struct wirenames_said *said, struct wire_writer *packet,
	const char *name)
{
	size_t slot;

	if (!name) {
		wire_put_u32(packet, 0);
		return true;
	}
	if (!make_room(said))
		return false;
	slot = slot_of(said, name);
	if (said->slots[slot] != 0) {
		wire_put_u32(packet, said->slots[slot]);
		return true;
	}
	if (said->count == UINT32_MAX ||
		!array_reserve(said->names, said->name_room, said->count + 1))
		return false;
	said->names[said->count++] = name;
	said->slots[slot] = said->count;
	said->slots_taken++;
	wire_put_u32(packet, said->count);
	wire_put_string(packet, name);
	return true;
}

bool wirenames_take_back(struct wirenames_said *said, uint32_t count)
{
	if (count > said->count)
		return false;
	said->count = count;
	return true;
}

/* Numbers go on when memory is out, since the worker counts too. */
static uint32_t take_new(struct wirenames_heard *heard,
	struct wire_reader *packet, struct answerstore *store)
{
	const char *name = wire_take_string(packet);
	uint32_t offset = 0;

	heard->lost =
		heard->lost || !answerstore_intern(store, name, &offset) ||
		!array_reserve(heard->offsets, heard->room, heard->count + 1);
	if (!heard->lost)
		heard->offsets[heard->count] = offset;
	heard->count++;
	return offset;
}

uint32_t wirenames_take(struct wirenames_heard *heard,
	struct wire_reader *packet, struct answerstore *store)
{
	uint32_t number = wire_take_u32(packet);

	if (number == 0)
		return 0;
	if (number <= heard->count)
		return heard->lost ? 0 : heard->offsets[number - 1];
	if (number - heard->count == 1)
		return take_new(heard, packet, store);
	packet->bad = true;
	return 0;
}

void wirenames_forget(struct wirenames_heard *heard)
{
	free(heard->offsets);
	memset(heard, 0, sizeof(*heard));
}

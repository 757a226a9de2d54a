#include "decoder/heph/heph_streams.h"

#include <stdlib.h>

#include "base/limits.h"

struct heph_stream {
	uint32_t number;
	uint32_t counter; /* of its next event */
};

static bool make_room(struct heph_streams *streams, size_t count)
{
	size_t room = streams->room ? streams->room * 2 : 64;
	struct heph_stream *all;

	if (count <= streams->room)
		return true;
	all = reallocarray(streams->all, room, sizeof(*all));
	if (!all)
		return false;
	streams->all = all;
	streams->room = room;
	return true;
}

static uint32_t free_number(
	struct heph_streams *streams, uint32_t wanted, bool keep)
{
	static char taken;

	if (!keep || id_map_find(&streams->taken, wanted)) {
		while (id_map_find(&streams->taken, streams->next))
			streams->next++;
		wanted = streams->next;
	}
	id_map_set(&streams->taken, wanted, &taken);
	return wanted;
}

/* Null: out of memory. */
static struct heph_stream *find(
	struct heph_streams *streams, const struct message *message, bool keep)
{
	uint64_t key[] = {(uintptr_t)message->program, message->tid};
	uint32_t known = streams->threads.count;
	struct pack_entry *entry;

	entry = pack_table_find(&streams->threads, key, sizeof(key));
	if (!entry && limits_reached(LIMIT_HEPH_THREADS, known))
		key[0] = key[1] = 0;
	if (!entry)
		entry = pack_table_intern(&streams->threads, key, sizeof(key));
	if (!entry || !make_room(streams, entry->id))
		return NULL;
	if (streams->threads.count > known)
		streams->all[entry->id - 1] = (struct heph_stream){
			.number = free_number(streams, message->tid, keep)};
	return &streams->all[entry->id - 1];
}

void heph_streams_count(struct heph_streams *streams,
	const struct message *message, bool keep, struct heph_event *event)
{
	struct heph_stream *stream = find(streams, message, keep);

	event->stream = stream ? stream->number : 0;
	event->counter = stream ? stream->counter++ : 0;
}

void heph_streams_free(struct heph_streams *streams)
{
	pack_table_free(&streams->threads);
	free(streams->all);
	id_map_free(&streams->taken);
}

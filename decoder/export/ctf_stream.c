#include "decoder/export/ctf_stream.h"

#include <stdio.h>

#include "base/id_map.h"
#include "base/limits.h"
#include "decoder/output/output_directory.h"

#define MAGIC 0xc1fc1fc1u
/* A packet is written when it is as large; a larger event has its own. */
#define PACKET_BYTES ((size_t)64 << 10)
/* More than this does not wait in all packets together. */
#define WAITING_MAX ((size_t)16 << 20)

/* As ctf_stream_metadata says.  Bits, where it is not nanoseconds. */
struct head {
	uint32_t magic;
	uint32_t stream_class;
	uint64_t stream;
	uint64_t begin;
	uint64_t end;
	uint64_t content;
	uint64_t size;
	uint64_t number;
	uint64_t lost;
};

_Static_assert(sizeof(struct head) == 64, "");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "of the metadata");

#define WORD "integer { size = 32; align = 8; signed = false; }"
#define LONG "integer { size = 64; align = 8; signed = false; }"
#define TIME                                                                   \
	"integer { size = 64; align = 8; signed = false; "                     \
	"map = clock.wall.value; }"

const char ctf_stream_metadata[] =
	"trace {\n"
	"\tmajor = 1;\n"
	"\tminor = 8;\n"
	"\tbyte_order = le;\n"
	"\tpacket.header := struct {\n"
	"\t\t" WORD " magic;\n"
	"\t\t" WORD " stream_id;\n"
	"\t\t" LONG " stream_instance_id;\n"
	"\t};\n};\n"
	"clock {\n"
	"\tname = wall;\n"
	"\tdescription = \"nanoseconds since 1970\";\n"
	"\tfreq = 1000000000;\n"
	"\toffset_s = 0;\n"
	"\toffset = 0;\n"
	"\tabsolute = true;\n};\n"
	"stream {\n"
	"\tid = 0;\n"
	"\tpacket.context := struct {\n"
	"\t\t" TIME " timestamp_begin;\n"
	"\t\t" TIME " timestamp_end;\n"
	"\t\t" LONG " content_size;\n"
	"\t\t" LONG " packet_size;\n"
	"\t\t" LONG " packet_seq_num;\n"
	"\t\t" LONG " events_discarded;\n"
	"\t};\n"
	"\tevent.header := struct {\n"
	"\t\t" WORD " id;\n"
	"\t\t" TIME " timestamp;\n"
	"\t};\n"
	"\tevent.context := struct {\n"
	"\t\t" WORD " _pid;\n"
	"\t\t" WORD " _tid;\n"
	"\t\tstring _thread;\n"
	"\t\tstring _program;\n"
	"\t\tstring _stream;\n"
	"\t};\n};\n";

static void put_name(char name[32], const struct ctf_stream *stream)
{
	snprintf(name, 32, "stream_%llu", (unsigned long long)stream->number);
}

static void begin_packet(struct ctf_stream *stream, uint64_t wall)
{
	stream->begin = stream->last = wall;
	render_buffer_fill(&stream->packet, 0, sizeof(struct head));
}

static void begin_file(struct ctf_streams *streams, struct ctf_stream *stream)
{
	stream->number = streams->files++;
	stream->packets = stream->lost = 0;
}

static void write_packet(struct ctf_streams *streams, struct ctf_stream *stream)
{
	struct render_buffer *packet = &stream->packet;
	struct head head = {
		.magic = MAGIC,
		.stream = stream->number,
		.begin = stream->begin,
		.end = stream->last,
		.content = (uint64_t)packet->length * 8,
		.size = (uint64_t)packet->length * 8,
		.number = stream->packets,
		.lost = stream->lost,
	};
	char name[32];

	if (packet->length < sizeof(head))
		return;
	streams->waiting -= packet->length;
	memcpy(packet->data, &head, sizeof(head));
	put_name(name, stream);
	output_directory_append(
		streams->directory, name, stream->packets == 0, packet);
	stream->packets++;
}

static void write_all(struct ctf_streams *streams)
{
	size_t i;

	for (i = 0; i < CTF_STREAMS_MAX; i++) {
		write_packet(streams, &streams->all[i]);
		render_buffer_free(&streams->all[i].packet);
	}
}

/* Of this thread; of another one if there is no room for it. */
static struct ctf_stream *find(
	struct ctf_streams *streams, const struct ctf_author *author)
{
	size_t hash =
		id_map_hash(author->tid) ^ (uintptr_t)author->program / 64;
	size_t i;

	for (i = 0; i < CTF_STREAMS_MAX; i++) {
		struct ctf_stream *stream =
			&streams->all[(hash + i) % CTF_STREAMS_MAX];

		if (stream->program == author->program &&
			stream->tid == author->tid)
			return stream;
		if (stream->program)
			continue;
		stream->program = author->program;
		stream->tid = author->tid;
		stream->capture = author->capture;
		begin_file(streams, stream);
		return stream;
	}
	return &streams->all[hash % CTF_STREAMS_MAX];
}

/* Ready for an event at this time, or at a later one that is returned. */
static uint64_t prepare(struct ctf_streams *streams, struct ctf_stream *stream,
	uint64_t wall, size_t bytes)
{
	size_t length = stream->packet.length;

	if (wall > INT64_MAX)
		wall = INT64_MAX; /* readers have no later time */
	if (wall < stream->last &&
		!limits_reached(LIMIT_CTF_FILES, streams->files)) {
		write_packet(streams, stream);
		begin_file(streams, stream);
	} else if (wall < stream->last) {
		wall = stream->last;
	}
	if (length > 0 && PACKET_BYTES - bytes < length)
		write_packet(streams, stream);
	if (stream->packet.length == 0) {
		begin_packet(stream, wall);
		streams->waiting += stream->packet.length;
	}
	return wall;
}

void ctf_streams_put(struct ctf_streams *streams,
	const struct ctf_author *author, const struct ctf_event *event)
{
	struct ctf_stream *stream = find(streams, author);
	size_t bytes = sizeof(uint32_t) + sizeof(uint64_t) + event->bytes;
	uint64_t wall = prepare(streams, stream, author->wall,
		bytes < PACKET_BYTES ? bytes : PACKET_BYTES);

	render_buffer_put(&stream->packet, &event->class_id, sizeof(uint32_t));
	render_buffer_put(&stream->packet, &wall, sizeof(wall));
	render_buffer_put(&stream->packet, event->body, event->bytes);
	stream->last = wall;
	streams->waiting += bytes;
	if (streams->waiting > WAITING_MAX)
		write_all(streams);
}

/* A loss is the difference between two packets: the last one is empty. */
static void put_loss(
	struct ctf_streams *streams, struct ctf_stream *stream, uint64_t count)
{
	write_packet(streams, stream);
	stream->lost += count;
	begin_packet(stream, stream->last);
	streams->waiting += stream->packet.length;
	write_packet(streams, stream);
}

void ctf_streams_lose(struct ctf_streams *streams,
	const struct recording *capture, uint64_t count)
{
	size_t i;

	for (i = 0; i < CTF_STREAMS_MAX; i++)
		if (streams->all[i].program &&
			streams->all[i].capture == capture) {
			put_loss(streams, &streams->all[i], count);
			return;
		}
}

void ctf_streams_end(struct ctf_streams *streams)
{
	write_all(streams);
}

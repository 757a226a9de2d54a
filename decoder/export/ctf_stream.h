/*
 * The streams of a CTF 1.8 trace: a file each, of packets.  Used by the style
 * `ctf`.  A thread has a stream of its own, as long as they are not too many;
 * times in a stream never go back, as readers demand.  Memory is bounded.
 */
#ifndef DECODER_CTF_STREAM_H
#define DECODER_CTF_STREAM_H

#include "decoder/capture/message.h"
#include "decoder/output/output.h"

/* Threads beyond these share streams: each event has its own.  A power of two.
 */
#define CTF_STREAMS_MAX 1024u

struct ctf_stream {
	const struct program *program; /* null: nobody has it */
	uint32_t tid;
	const struct recording *capture;
	uint64_t number; /* among all files */
	uint64_t packets;
	uint64_t begin; /* of the packet, nanoseconds since 1970 */
	uint64_t last;
	uint64_t lost;		     /* events, so far */
	struct render_buffer packet; /* empty: none has begun */
};

struct ctf_streams {
	struct output *directory;
	struct ctf_stream all[CTF_STREAMS_MAX];
	uint64_t files;
	size_t waiting; /* bytes in all packets */
};

/* Who made an event, when. */
struct ctf_author {
	const struct program *program;
	const struct recording *capture;
	uint32_t tid;
	uint64_t wall;
};

/* The class of an event, and all that follows its header. */
struct ctf_event {
	uint32_t class_id;
	const char *body;
	size_t bytes;
};

void ctf_streams_put(struct ctf_streams *streams,
	const struct ctf_author *author, const struct ctf_event *event);

/* So many events of the capture are lost. */
void ctf_streams_lose(struct ctf_streams *streams,
	const struct recording *capture, uint64_t count);

/* Writes what waits, and frees everything. */
void ctf_streams_end(struct ctf_streams *streams);

/* What of the metadata tells how packets and events begin. */
extern const char ctf_stream_metadata[];

#endif

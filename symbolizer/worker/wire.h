/*
 * What the symbolizer and its worker say to each other: packets on a socket,
 * with at most one descriptor each.  Called by worker at one end of it and by
 * workerloop at the other.  Promises that reading stays within the packet
 * whatever is in it, and that nothing here raises a signal.
 *
 * The asking end begins: WIRE_MODULE is answered by WIRE_READY, WIRE_PROGRAM by
 * WIRE_PROGRAM_IS, WIRE_TEXT by WIRE_TEXT_IS, WIRE_HANDED by WIRE_HANDED_ARE,
 * WIRE_ASK, WIRE_BETWEEN and WIRE_NAMED by as many WIRE_ANSWERS as it takes, and WIRE_LIST
 * by as many WIRE_CALLS, or WIRE_STATEMENTS by as many WIRE_HANDED_ARE, as it
 * takes and a WIRE_LISTED.  Meanwhile the worker may send WIRE_OPEN and
 * WIRE_FIND, and waits for WIRE_OPENED and WIRE_FOUND; and WIRE_LIMIT, which
 * has no answer. Since nobody sends anything else, what is sent to the worker
 * always fits into its queue.
 */
#ifndef SYMBOLIZER_WIRE_H
#define SYMBOLIZER_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "symbolizer/answers/answerstore.h"

#define WIRE_BYTES_MAX ((size_t)64 << 10)

/* Contents of each; strings may be null. */
enum wire_kind {
	WIRE_MODULE = 1, /* path, build-id, u64 bytes, u64 hash of contents, */
			 /* u32 symtab_sources */
	WIRE_READY,
	WIRE_ASK,     /* u32 number of the module, u32 names of it that */
		      /* have been heard, u64 addresses to the end */
	WIRE_BETWEEN, /* both u32 as WIRE_ASK, u64 next, u64 inside, */
		      /* name, u64 argument; answered by WIRE_ANSWERS */
	WIRE_OPENED,  /* u32 openfile_result, u64 bytes, u64 bytes on disk; */
		      /* with the descriptor */
	WIRE_FOUND,   /* path */
	WIRE_OPEN,    /* root, path */
	WIRE_FIND,    /* root, path */
	WIRE_PROGRAM, /* as WIRE_MODULE, without the last */
	WIRE_PROGRAM_IS, /* u32 whether it is there, complaint */
	WIRE_TEXT,    /* u64 address, u32 whether it is a string, u64 bytes */
		      /* if not */
	WIRE_TEXT_IS, /* bytes with a NUL; none: it is not there */
	WIRE_LIST,    /* path, or null for the program */
	WIRE_LISTED,  /* why there may be others */
	WIRE_CALLS,   /* calls to the end: u64 address, u64 next, function, */
		      /* u64 target, u32 more (1) and said (2), u32 texts; */
		      /* per text bytes, u32 wide, u32 translated */
	WIRE_ANSWERS, /* answers to the end, in the order of the addresses: */
		      /* u32 frames, sentence; per frame function and file */
	/* as wirenames_... have them, u32 line, u32 column, u64 */
	/* offset, u32 inlined, u32 wrapper */
	WIRE_HANDED,	 /* u64 return address */
	WIRE_HANDED_ARE, /* texts to the end: u64 call, u64 begin, u64 end, */
			 /* u64 next, u64 target, u32 how, u32 use, */
			 /* u32 argument, u32 more, bytes with a NUL */
	WIRE_STATEMENTS, /* nothing */
	WIRE_LIMIT,	 /* u32 readlimit that was met, path of the file */
	WIRE_NAMED,	 /* both u32 as WIRE_ASK, function, u64 offset; */
			 /* answered by WIRE_ANSWERS */
};

#define WIRE_CALL_MORE 1u
#define WIRE_CALL_SAID 2u

/* A packet being made. */
struct wire_writer {
	size_t length;
	bool full; /* something did not fit */
	uint8_t data[WIRE_BYTES_MAX];
};

/* A packet being read; after the first error all is zero or null. */
struct wire_reader {
	const uint8_t *data;
	size_t left;
	bool bad;
};

void wire_begin(struct wire_writer *packet, enum wire_kind kind);
void wire_put_u32(struct wire_writer *packet, uint32_t value);
void wire_put_u64(struct wire_writer *packet, uint64_t value);
void wire_put_bytes(
	struct wire_writer *packet, const void *bytes, size_t count);
/* Without their count before them. */
void wire_put_raw(struct wire_writer *packet, const void *bytes, size_t count);
void wire_put_string(struct wire_writer *packet, const char *string);

uint32_t wire_take_u32(struct wire_reader *packet);
uint64_t wire_take_u64(struct wire_reader *packet);
/* Valid as long as the packet. */
const uint8_t *wire_take_bytes(struct wire_reader *packet, size_t *count);
const char *wire_take_string(struct wire_reader *packet);

/*
 * Sends a packet that is not full, with `descriptor` unless that is negative.
 * `flags` as of sendmsg().  False with errno.
 */
bool wire_send(int socket, const struct wire_writer *packet, int descriptor,
	int flags);

/*
 * Receives a packet into `room` of WIRE_BYTES_MAX bytes and takes its kind
 * from it; 0 when the other end is gone or the packet is none, with errno
 * EAGAIN when MSG_DONTWAIT is in `flags` and there is none yet.  When
 * `descriptor` is not null it receives one, or -1.
 */
uint32_t wire_receive(int socket, void *room, struct wire_reader *packet,
	int *descriptor, int flags);

/* What a worker has said.  All zeros is nothing. */
struct wirenames_said {
	const char **names; /* by number, from 1 */
	size_t name_room;
	uint32_t count;
	uint32_t *slots;  /* from the hash of a place in memory to a number */
	size_t slot_room; /* a power of two */
	size_t slots_taken;
};

/*
 * `name` has to stay where it is, unchanged, as long as the worker.  False when
 * out of memory.
 */
bool wirenames_put(struct wirenames_said *said, struct wire_writer *packet,
	const char *name);

/* Only the first `count` have been heard; false when there are not so many. */
bool wirenames_take_back(struct wirenames_said *said, uint32_t count);

/* What has been heard, as offsets in a store.  All zeros is nothing. */
struct wirenames_heard {
	uint32_t *offsets; /* by number, from 1 */
	size_t room;
	uint32_t count;
	bool lost; /* memory was out: answers are not to be trusted */
};

/* The offset in `store` of the name that comes next in the packet. */
uint32_t wirenames_take(struct wirenames_heard *heard,
	struct wire_reader *packet, struct answerstore *store);

/* The worker will have to say all again. */
void wirenames_forget(struct wirenames_heard *heard);

#endif

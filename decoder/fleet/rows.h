/*
 * From messages to rows of the tables: each call is one, with its statement and
 * its stack, which are told of before it.  Driven by the reader of binlog-ship.
 * What is known of a place is looked up once for each context.  One thread.
 */
#ifndef DECODER_FLEET_ROWS_H
#define DECODER_FLEET_ROWS_H

#include "base/error.h"
#include "decoder/capture/message.h"
#include "decoder/fleet/native_block.h"
#include "decoder/names/locations.h"

struct fleet_rows;

struct fleet_rows_settings {
	bool text; /* also what the program would have printed */
	struct locations *locations; /* null: neither stacks nor places in the
				      * source are known */
};

/* Null: out of memory. */
struct fleet_rows *fleet_rows_new(const struct fleet_rows_settings *settings);

/* Whose messages follow. */
void fleet_rows_source(struct fleet_rows *rows, uint64_t source);

/*
 * The next message, `number` in its source.  Pieces of a call are one row, with
 * the number of the first.
 */
void fleet_rows_message(struct fleet_rows *rows, const struct message *message,
	uint64_t number);

/* The last call is not whole: more of it may come. */
bool fleet_rows_open(const struct fleet_rows *rows);

/* Nothing more comes of what is open; or it is as if that had not begun. */
void fleet_rows_close(struct fleet_rows *rows);
void fleet_rows_forget(struct fleet_rows *rows);

/* Something that is not among the messages. */
void fleet_rows_loss(struct fleet_rows *rows, const char *kind, uint64_t number,
	uint64_t count, const char *words);

/* Bytes of all rows, and how many messages are whole. */
size_t fleet_rows_bytes(struct fleet_rows *rows);
size_t fleet_rows_count(const struct fleet_rows *rows);

/* The rows of a table so far, which may be none; it begins anew when they are
 * taken. */
struct native_block *fleet_rows_block(
	struct fleet_rows *rows, enum fleet_table table);

/* Something is not there: no memory. */
bool fleet_rows_lack(const struct fleet_rows *rows);

/* Null is fine. */
void fleet_rows_free(struct fleet_rows *rows);

#endif

/*
 * What the messages of a report refer to by small numbers: programs, threads,
 * streams, sites, and shapes, which are the sites of one line together.  Used
 * by style_html.c.  Whatever a log holds, each list is bounded: what is too
 * much is number 0 of it, the others.
 */
#ifndef DECODER_HTML_INDEX_H
#define DECODER_HTML_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id_map.h"
#include "base/limits.h"
#include "base/pool.h"
#include "decoder/capture/message.h"
#include "decoder/html/html_page.h"
#include "decoder/output/style.h"

struct html_row {
	uint64_t wall;
	uint32_t thread;
	uint32_t shape;
	const char *text; /* any bytes */
	size_t bytes;
	const char *values; /* as html_rows_put_values() has made them */
	size_t value_bytes;
	uint32_t value_count;
};

struct html_rows;

/* Seven bits in a byte, the lowest first. */
void html_rows_put_number(struct render_buffer *out, uint64_t number);

/* The same of 64 bits with a sign: small ones of either sign are short. */
void html_rows_put_signed(struct render_buffer *out, uint64_t number);

/* The page stays the caller's.  Null: out of memory. */
struct html_rows *html_rows_new(struct html_page *page);

void html_rows_put(struct html_rows *rows, const struct html_row *row);

/* Appends the values of the message's fields; returns how many. */
uint32_t html_rows_put_values(struct html_rows *rows,
	const struct message *message, struct render_buffer *out);

/* Writes what is left.  Returns how many there were, and frees `rows`. */
uint64_t html_rows_end(struct html_rows *rows);

/* No number: there are too many, or there is no memory. */
#define HTML_INTERN_NONE UINT32_MAX

struct html_interned;

/* All zeros but for `limit` is an empty one. */
struct html_intern {
	enum limit limit; /* of the table: so many entries */
	uint32_t count;
	struct id_map map; /* by hash, to the last one that has it */
	struct pool pool;
	bool failed; /* no memory */
};

/* The stream of what is no call: the end of a process. */
#define HTML_INDEX_STREAM_END 1u

/* Beside a site: the call has ended the line before, too. */
#define HTML_INDEX_AGAIN (UINT32_C(1) << 31)

/* Of what makes a line. */
struct html_index_shape {
	uint32_t stream;
	int32_t level;
	uint32_t count;
	uint32_t sites[LIMITS_HTML_SITES];
};

struct html_index;

/* The settings are copied.  Null: out of memory. */
struct html_index *html_index_new(const struct style_settings *settings);

/* Null is fine. */
void html_index_free(struct html_index *index);

/* Who says it. */
uint32_t html_index_thread(
	struct html_index *index, const struct message *message);

/* The same of one that has said something already. */
uint32_t html_index_thread_of(
	struct html_index *index, const struct program *program, uint32_t tid);

/* Where it is said, and where to. */
void html_index_site(struct html_index *index, const struct message *message,
	uint32_t *site, uint32_t *stream);

uint32_t html_index_shape(
	struct html_index *index, const struct html_index_shape *shape);

/* All of it: members of a JSON object, with commas between them. */
void html_index_put(const struct html_index *index, struct render_buffer *out);

#endif

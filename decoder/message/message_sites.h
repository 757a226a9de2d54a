/*
 * What a style that counts keeps of each place that messages come from, and
 * how it shows the place.  The places are those of site_table.h; they are
 * found once for each context, and those that are too many are kept as one.
 */
#ifndef DECODER_MESSAGE_SITES_H
#define DECODER_MESSAGE_SITES_H

#include "base/render_buffer.h"
#include "decoder/capture/message.h"
#include "decoder/message/site_table.h"
#include "decoder/names/locations.h"

struct message_sites;

/* What a style keeps of one begins with this. */
struct message_site {
	const struct message_sites *of;
	const struct site *site; /* null: it is the rest */
	const char *location; /* file, line and function; null: not asked for */
};

struct message_sites {
	struct site_table table;
	size_t bytes; /* of what the style keeps of one */
	struct locations *locations;
	struct message_site **all;
	size_t count;
	size_t room;
	struct message_site *rest; /* null: there is none */
};

/*
 * `bytes` is the size of what the style keeps of each, all zeros at first;
 * `locations` is null unless file, line and function are to be known.
 */
void message_sites_begin(
	struct message_sites *sites, size_t bytes, struct locations *locations);

/* The one that the message is from; null: out of memory. */
void *message_sites_find(
	struct message_sites *sites, const struct message *message);

/* In this order, the rest last. */
void message_sites_sort(struct message_sites *sites,
	int (*compare)(const void *one, const void *other));

/*
 * Which one comes first where nothing else decides, so that an order is always
 * the same: less than 0, 0 or more.  Of one call those with messages come
 * before its events.
 */
int message_sites_compare(
	const struct message_site *one, const struct message_site *other);

/* Whether both are of one address in a program. */
bool message_sites_are_one_call(
	const struct message_site *one, const struct message_site *other);

/* Where it is: escaped; as it may stand in a rule if no places are known. */
void message_sites_put_location(
	const struct message_site *site, struct render_buffer *out);

/* Its format, as in the source of a program; what is cut is marked. */
void message_sites_put_format(
	const struct message_site *site, struct render_buffer *out);

/* The same for what cuts it itself where a terminal of this width ends; 0: no
 * terminal. */
void message_sites_put_format_to_cut(const struct message_site *site,
	unsigned width, struct render_buffer *out);

void message_sites_end(struct message_sites *sites);

#endif

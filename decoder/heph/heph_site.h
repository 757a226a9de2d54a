/*
 * The contexts of messages that are made of events of a Heph trace: one for
 * each format, function and stream.  Used by heph_message.c; bounded, whatever
 * the trace says.
 */
#ifndef DECODER_HEPH_SITE_H
#define DECODER_HEPH_SITE_H

#include "base/id_map.h"
#include "base/pack_table.h"
#include "base/render_buffer.h"
#include "decoder/capture/definition.h"
#include "decoder/heph/heph_packet.h"
#include "record/format.h"

/* So many arguments stand before those of the format if it is for syslog. */
#define HEPH_SITE_SYSLOG 4u
#define HEPH_SITE_ARGUMENTS_MAX (HEPH_SITE_SYSLOG + FORMAT_ARGUMENTS_MAX + 1)

/* What a context is made of. */
struct heph_site {
	uint16_t text; /* BINLOG_TEXT_FORMAT, _SYSLOG or _BYTES */
	struct heph_string format;
	struct heph_string function;
	struct heph_string stream; /* as lines name it */
};

struct heph_sites {
	struct pool pool; /* of the messages that have the contexts */
	struct pack_table known;
	struct id_map contexts;		  /* to struct definition_context */
	struct definition_context common; /* of texts there is no room for */
	struct render_buffer key;
};

void heph_sites_begin(struct heph_sites *sites);
void heph_sites_end(struct heph_sites *sites);

/* Null: there is no room for it, or its format is none. */
struct definition_context *heph_site_context(
	struct heph_sites *sites, const struct heph_site *site);

#endif

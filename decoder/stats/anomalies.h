/*
 * What is unusual in a log: statements that are rare, rates that change,
 * statements that fall silent, counters that do not go on, values far from all
 * others.  Filled message by message by the style `anomalies`, in one pass and
 * bounded memory; binlog-stats(7) says what is looked for.
 */
#ifndef DECODER_ANOMALIES_H
#define DECODER_ANOMALIES_H

#include "base/id_map.h"
#include "base/pool.h"
#include "base/render_buffer.h"
#include "decoder/capture/message.h"
#include "decoder/message/fields.h"
#include "decoder/message/message_sites.h"
#include "decoder/message/track_table.h"
#include "decoder/stats/unusual.h"

/* More than these of a message are not looked at. */
#define ANOMALIES_NUMBERS 8u

#define ANOMALIES_RARE 3u

struct anomaly {
	const struct anomaly_site *site;
	const char *kind; /* a word */
	uint64_t from;	  /* wall time */
	uint64_t to;	  /* the same if it is one message */
	double times;	  /* so many times beyond the rest */
	size_t others;	  /* statements that had the same at that time */
	const char *why;  /* a sentence; in the pool, ends in NUL */
};

/* Who has said something; the first is all who are not told apart. */
struct speaker {
	uint64_t messages;
	uint64_t first; /* wall time */
	uint64_t last;
};

/* One message of a statement that may be rare. */
struct rare_message {
	uint64_t wall;
	uint64_t number; /* among those of its process */
	uint32_t speaker;
};

/* An argument of a statement, whoever says it. */
struct anomaly_values {
	const char *name;
	enum field_type type;
	bool is_quantity; /* not a name or bits */
	bool counts;	  /* that is looked at instead */
	struct spread spread;
	struct peaks peaks;
};

struct anomaly_site {
	struct message_site site;
	struct anomaly_site *statement; /* that it is of, perhaps itself; what
					   follows is of all its places */
	int level;			/* the most important of the first */
	uint64_t messages;
	uint64_t first; /* wall time */
	uint64_t last;
	uint32_t speaker; /* of the last */
	struct rare_message rare[ANOMALIES_RARE];
	struct windows windows;
	struct peaks gaps;
	size_t number_count; /* once `fields` are known */
	struct anomaly_values *values;
	struct stream_numbers *latest; /* of the stream that spoke last */
};

struct anomalies {
	struct message_sites sites;
	struct track_table tracks;
	struct id_map statements; /* by a hash of their words */
	size_t statement_count;
	struct id_map streams; /* of statements and tracks */
	struct pool pool;
	struct stream_numbers *all_streams;
	size_t numbers;		  /* that are followed */
	struct speaker *speakers; /* by the number of their process */
	size_t speaker_count;
	size_t speaker_room;
	struct track *process; /* of the message before */
	struct track *thread;
	uint64_t messages;
	uint64_t start;		/* wall time of the first */
	unsigned shift;		/* of all windows */
	struct windows windows; /* of all messages */
	struct anomaly *found;
	size_t count;
	size_t room;
	struct render_buffer scratch;
	bool failed; /* out of memory */
};

void anomalies_begin(struct anomalies *anomalies, struct locations *locations);

void anomalies_message(
	struct anomalies *anomalies, const struct message *message);

/* Finds them: errors first, then by how unusual they are. */
void anomalies_find(struct anomalies *anomalies);

void anomalies_end(struct anomalies *anomalies);

#endif

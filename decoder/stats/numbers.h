/*
 * Sums of the values that an argument has had: count, least, most, mean,
 * standard deviation, percentiles.  Filled by the styles that show numbers,
 * value by value or in whole columns; both come to the same.  Least and most
 * are exact, percentiles off by at most 1/1024 of themselves.
 */
#ifndef DECODER_NUMBERS_H
#define DECODER_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/message/message_sites.h"
#include "decoder/output/style.h"
#include "decoder/query/batch_fold.h"
#include "decoder/stats/number_bars.h"

#define NUMBER_SKETCH_GROUPS 64u

/* All zeros is empty. */
struct number_sketch {
	uint64_t **groups[NUMBER_SKETCH_GROUPS];
};

/* One that is not empty. */
struct number_sketch_bucket {
	uint32_t next; /* where the one after it may be; 0: the first of all */
	double low;    /* all its values are between these */
	double high;
	uint64_t count;
};

/* The next one by value; all zeros before the first.  False: that was all. */
bool number_sketch_next(const struct number_sketch *sketch,
	struct number_sketch_bucket *bucket);

/* What all numbers of a style share; to be set up by numbers_room(). */
struct numbers_room {
	size_t left;		    /* of memory for the sketches, bytes */
	struct number_sketch spill; /* of those that it was not enough for */
	bool failed;		    /* out of memory */
};

/* All zeros is empty. */
struct numbers {
	uint64_t count;
	uint64_t left_out; /* neither numbers nor finite */
	bool fractional;   /* not all of them are integers */
	bool spilled;	   /* it has no sketch any more */
	long double least;
	long double most;
	long double origin; /* the first: sums are of the differences to it */
	long double sum;
	long double squares;
	struct number_sketch sketch;
};

struct numbers_room numbers_room(void);
void numbers_room_free(struct numbers_room *room);

/* The same integer so many times. */
void numbers_add_integer(struct numbers *numbers, struct numbers_room *room,
	long double value, uint64_t times);

void numbers_add_integers(struct numbers *numbers, struct numbers_room *room,
	const int64_t *values, size_t count);
void numbers_add_floats(struct numbers *numbers, struct numbers_room *room,
	const double *values, size_t count);

/* Adds all of the other; what was spilled stays so. */
void numbers_merge(struct numbers *numbers, struct numbers_room *room,
	const struct numbers *other);

/* Adds to the sum of all that share the room what they have spilled. */
void numbers_add_spilled(struct numbers *sum, struct numbers_room *room);

/* These are 0 if there are none. */
long double numbers_mean(const struct numbers *numbers);
long double numbers_deviation(const struct numbers *numbers);

/*
 * The value that so many thousandths of all are not above.  Only if nothing
 * was spilled.
 */
long double numbers_percentile(
	const struct numbers *numbers, unsigned thousandths);

/* Frees the sketch. */
void numbers_free(struct numbers *numbers, struct numbers_room *room);

/* Of one site. */
struct argument_site {
	struct message_site site;
	struct numbers numbers;
};

struct argument_numbers {
	struct style_settings settings;
	const char *name;
	struct message_sites sites;
	struct numbers_room room;
	struct number_bars *bars; /* of all sites; null: not asked for */
	struct batch_fold fold;
	bool asked;  /* there was a message, perhaps without it */
	bool failed; /* out of memory */
};

/* Null: out of memory. */
struct argument_numbers *argument_numbers_new(
	const struct style_settings *settings);

void argument_numbers_message(
	struct argument_numbers *numbers, const struct message *message);

/*
 * What somebody else has added up of values that share one bucket (see
 * numbers_bucket_low()): all of one place, of which the message is an example.
 */
struct numbers_sums {
	uint64_t count;
	bool fractional;
	long double least;
	long double most;
	long double differences; /* to the low end of the bucket, added up */
	long double variance;	 /* of them; squares of what is far from all
				  * of them would be rounded */
};

void argument_numbers_add(struct argument_numbers *numbers,
	const struct message *example, const struct numbers_sums *sums);

/* So many of all values are in the same bar as this one; 0: it widens alone. */
void argument_numbers_add_to_bars(
	struct argument_numbers *numbers, long double value, uint64_t count);

/* Bits of a double that all values of a bucket share, with their sign. */
#define NUMBERS_BUCKET_SHIFT 43

/* That of the bucket of a value with the least magnitude. */
double numbers_bucket_low(double value);

/* Sorts the sites, the one with the most values first, and adds up. */
struct numbers argument_numbers_sum(struct argument_numbers *numbers);

/* Says so if there are none, though there were messages. */
void argument_numbers_complain(const struct argument_numbers *numbers);

/* Notes what has failed, and frees everything but the sum. */
void argument_numbers_free(struct argument_numbers *numbers);

#endif

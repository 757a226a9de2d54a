/*
 * How numbers are spread over equal parts of their range: counts in at most
 * NUMBER_BARS_MAX parts, each a power of two wide, as narrow as the range lets
 * them be. Which that is depends on the least and the largest value alone, not
 * on the order of the values.
 */
#ifndef DECODER_NUMBER_BARS_H
#define DECODER_NUMBER_BARS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct number_bars;

#define NUMBER_BARS_MAX 65536u

/* Null: out of memory. */
struct number_bars *number_bars_new(void);

/* A finite value, so many times. */
void number_bars_add(
	struct number_bars *bars, long double value, uint64_t times);

void number_bars_add_integers(
	struct number_bars *bars, const int64_t *values, size_t count);

/* Those that are finite. */
void number_bars_add_floats(
	struct number_bars *bars, const double *values, size_t count);

/*
 * How wide bars are, no more than `most` of which hold all values: 1, 2 or 5
 * times a power of ten if the parts can be put together so, else a power of
 * two.  For `integers` it is at least 1.  If there are numbers on both sides of
 * 0, `most` has to be at least 2.
 */
long double number_bars_width(
	const struct number_bars *bars, unsigned most, bool integers);

/* How many values are from there on, but not width further. */
uint64_t number_bars_count(
	const struct number_bars *bars, long double from, long double width);

/* A part is two to this power wide. */
int number_bars_scale(const struct number_bars *bars);

/* Out of memory: some are missing. */
bool number_bars_failed(const struct number_bars *bars);

/* Null is fine. */
void number_bars_free(struct number_bars *bars);

#endif

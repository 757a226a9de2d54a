#include "decoder/runs/run_change.h"

#include <math.h>

/* By so much it is more, or less. */
#define FACTOR 1.5

/* Fewer values say nothing of how far they reach. */
#define VALUES_MIN 10

/* So many times wider than before is far beyond it. */
#define FAR 10

/* Of two, the one that says less; 0 if they do not agree. */
static double lesser(double a, double b)
{
	if ((a > 0) != (b > 0))
		return 0;
	return fabs(a) < fabs(b) ? a : b;
}

static double greater(double a, double b)
{
	return fabs(a) > fabs(b) ? a : b;
}

/* What comes and goes by chance differs by about its root. */
static bool is_chance(double calls, double expected)
{
	return fabs(calls - expected) <= 2 * sqrt(fmax(calls, expected));
}

double run_change_of_calls(const struct run_change_calls *of)
{
	double a = (double)of->calls[0];
	double b = (double)of->calls[1];
	double others_a = (double)(of->all[0] - of->calls[0]);
	double others_b = (double)(of->all[1] - of->calls[1]);
	double number = log(b / a);
	double rate = log(b / of->seconds[1] / (a / of->seconds[0]));
	double change = lesser(number, rate);
	double expected = a;

	if (others_a > 0 && others_b > 0) {
		double share = log(b / others_b / (a / others_a));

		change = greater(lesser(share, number), lesser(share, rate));
		expected = a * others_b / others_a;
	}
	return fabs(change) < log(FACTOR) || is_chance(b, expected) ? 0
								    : change;
}

static double deviation(const struct run_range *range)
{
	return sqrt(range->squares / (double)range->count);
}

static bool is_wider(const struct run_range *a, const struct run_range *b)
{
	double before = a->most - a->least;

	return before > 0 && b->most - b->least > FAR * before;
}

bool run_change_of_values(const struct run_range *a, const struct run_range *b)
{
	double spread;

	if (a->count == 0 || b->count == 0)
		return false;
	if (a->most < b->least || b->most < a->least)
		return true;
	spread = fmax(deviation(a), deviation(b));
	if (fabs(a->mean - b->mean) > 2 * spread)
		return true;
	return a->count >= VALUES_MIN && b->count >= VALUES_MIN &&
	       (is_wider(a, b) || is_wider(b, a));
}

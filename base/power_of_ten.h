/*
 * The powers of ten that are doubles exactly: a double divided by one is the
 * same on every machine.  Used for columns of doubles that were decimal
 * fractions once (DECIMAL of record/packed.h), on both sides.
 */
#ifndef BASE_POWER_OF_TEN_H
#define BASE_POWER_OF_TEN_H

#define POWER_OF_TEN_MAX 22u

/* Of an exponent up to POWER_OF_TEN_MAX. */
static inline double power_of_ten(unsigned exponent)
{
	double power = 1;

	while (exponent-- > 0)
		power *= 10;
	return power;
}

#endif

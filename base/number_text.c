#include "base/number_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DIGITS 6

struct number_text number_text_value(long double value, bool fractional)
{
	struct number_text text;

	snprintf(text.text, sizeof(text.text), fractional ? "%.15Lg" : "%.0Lf",
		value);
	return text;
}

static void cut_zeros(char *text)
{
	size_t length = strlen(text);

	if (!strchr(text, '.'))
		return;
	while (text[length - 1] == '0')
		length--;
	text[text[length - 1] == '.' ? length - 1 : length] = '\0';
}

struct number_text number_text_rounded(long double value)
{
	long double size = fabsl(value);
	struct number_text text;
	int decimals;

	if (size != 0 && (size < 1e-4L || size >= 1e15L)) {
		snprintf(text.text, sizeof(text.text), "%.*Lg", DIGITS, value);
		return text;
	}
	decimals = size == 0 ? 0 : DIGITS - 1 - (int)floorl(log10l(size));
	snprintf(text.text, sizeof(text.text), "%.*Lf",
		decimals > 0 ? decimals : 0, value);
	cut_zeros(text.text);
	return text;
}

struct number_text number_text_share(
	unsigned long long part, unsigned long long whole)
{
	struct number_text text;

	snprintf(text.text, sizeof(text.text), "%.2f",
		whole ? 100 * (double)part / (double)whole : 0);
	return text;
}

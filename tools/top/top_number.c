#include "tools/top/top_number.h"

#include <stdio.h>

void top_number(char text[TOP_NUMBER_BYTES], double number, bool plain)
{
	static const char units[] = "\0KMGTP";
	const char *unit = units;
	int digits;

	if (number < 0) {
		snprintf(text, TOP_NUMBER_BYTES, "-");
		return;
	}
	if (plain) {
		snprintf(text, TOP_NUMBER_BYTES, "%.0f", number);
		return;
	}
	while (number >= 9999.5 && unit[1] != '\0') {
		number /= 1000;
		unit++;
	}
	digits = *unit == '\0'	  ? number > 0 && number < 9.95
		 : number < 9.995 ? 2
				  : number < 99.95;
	snprintf(text, TOP_NUMBER_BYTES, "%.*f%.1s", digits, number, unit);
}

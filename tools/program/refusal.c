#include "tools/program/refusal.h"

#include <stdarg.h>
#include <stdio.h>

bool refusal_set(struct refusal *refusal, enum refusal_status status,
	const char *format, ...)
{
	va_list arguments;

	refusal->status = status;
	va_start(arguments, format);
	vsnprintf(refusal->sentence, sizeof(refusal->sentence), format,
		arguments);
	va_end(arguments);
	return false;
}

#include "shim/host/pass_on.h"

#include "shim/host/host.h"

int pass_on_vfprintf(FILE *file, int chk, const char *format, va_list ap)
{
	va_list copy;
	int result;

	va_copy(copy, ap);
	result = chk ? next___vfprintf_chk(file, chk, format, copy)
		     : next_vfprintf(file, format, copy);
	va_end(copy);
	return result;
}

int pass_on_vdprintf(int fd, int chk, const char *format, va_list ap)
{
	va_list copy;
	int result;

	va_copy(copy, ap);
	result = chk ? next___vdprintf_chk(fd, chk, format, copy)
		     : next_vdprintf(fd, format, copy);
	va_end(copy);
	return result;
}

int pass_on_vfwprintf(FILE *file, int chk, const wchar_t *format, va_list ap)
{
	va_list copy;
	int result;

	va_copy(copy, ap);
	result = chk ? next___vfwprintf_chk(file, chk, format, copy)
		     : next_vfwprintf(file, format, copy);
	va_end(copy);
	return result;
}

void pass_on_vsyslog(int priority, int chk, const char *format, va_list ap)
{
	va_list copy;

	va_copy(copy, ap);
	if (chk)
		next___vsyslog_chk(priority, chk, format, copy);
	else
		next_vsyslog(priority, format, copy);
	va_end(copy);
}

void pass_on_vwarn(const char *format, va_list ap)
{
	va_list copy;

	va_copy(copy, ap);
	next_vwarn(format, copy);
	va_end(copy);
}

void pass_on_vwarnx(const char *format, va_list ap)
{
	va_list copy;

	va_copy(copy, ap);
	next_vwarnx(format, copy);
	va_end(copy);
}

/* Where a _chk function is told how large the room is: it is large enough. */
int pass_on_vsnprintf(
	char *to, size_t size, int chk, const char *format, va_list ap)
{
	va_list copy;
	int result;

	va_copy(copy, ap);
	result = chk > 0 ? host___vsnprintf_chk(
				   to, size, chk, SIZE_MAX, format, copy)
			 : host_vsnprintf(to, size, format, copy);
	va_end(copy);
	return result;
}

int pass_on_vswprintf(
	wchar_t *to, size_t size, int chk, const wchar_t *format, va_list ap)
{
	va_list copy;
	int result;

	va_copy(copy, ap);
	result = chk > 0 ? host___vswprintf_chk(
				   to, size, chk, SIZE_MAX, format, copy)
			 : host_vswprintf(to, size, format, copy);
	va_end(copy);
	return result;
}

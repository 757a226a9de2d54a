#include "shim/record/fortify.h"

#include "record/format.h"
#include "record/libc.h"
#include "shim/host/bytes.h"
#include "shim/host/host.h"
#include "shim/host/module.h"
#include "shim/host/sys.h"
#include "shim/writer/plan.h"

/* A walk through /proc/self/maps: "from-to rwxp ...", one mapping per line. */
struct maps {
	uintptr_t start, end; /* what is asked about */
	size_t read_only;     /* bytes of it */
	bool writable;	      /* or not readable */
	uintptr_t from, to;   /* of the line so far */
	char mode[2];
	enum { FROM, TO, MODE_1, MODE_2, REST } field;
};

static unsigned digit(char c)
{
	return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10) & 15;
}

static void end_line(struct maps *maps)
{
	uintptr_t from = maps->from > maps->start ? maps->from : maps->start;
	uintptr_t to = maps->to < maps->end ? maps->to : maps->end;

	if (from < to && maps->mode[0] == 'r' && maps->mode[1] == '-')
		maps->read_only += to - from;
	else if (from < to)
		maps->writable = true;
	maps->from = maps->to = 0;
	maps->field = FROM;
}

static void take(struct maps *maps, char c)
{
	if (c == '\n') {
		end_line(maps);
		return;
	}
	switch (maps->field) {
	case FROM:
		if (c == '-')
			maps->field = TO;
		else
			maps->from = maps->from << 4 | digit(c);
		break;
	case TO:
		if (c == ' ')
			maps->field = MODE_1;
		else
			maps->to = maps->to << 4 | digit(c);
		break;
	case MODE_1:
		maps->mode[0] = c;
		maps->field = MODE_2;
		break;
	case MODE_2:
		maps->mode[1] = c;
		maps->field = REST;
		break;
	case REST:
		break;
	}
}

/* Known to be outside of what is mapped read-only as a whole. */
static bool is_writable(const char *format, size_t size)
{
	struct maps maps = {
		.start = (uintptr_t)format,
		.end = (uintptr_t)format + size,
	};
	char buffer[512];
	long n = 0;
	long fd;

	if (module_is_constant(format, size))
		return false;
	fd = SYS4(openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
	if (sys_failed(fd))
		return false;
	while (!maps.writable &&
		(n = SYS3(read, fd, buffer, sizeof(buffer))) > 0)
		for (long i = 0; i < n; i++)
			take(&maps, buffer[i]);
	SYS1(close, fd);
	return maps.writable || (n == 0 && maps.read_only < size);
}

/* "%n", and the numbers of the arguments. */
struct directives {
	bool stores;	   /* has "%n" */
	bool stores_first; /* before glibc looks at the numbers */
	bool may_fail;	   /* before all is known */
	uint64_t arguments;
};

static void note(struct directives *all, int argument)
{
	if (argument != FORMAT_NONE && argument < FORMAT_ARGUMENTS_MAX)
		all->arguments |= (uint64_t)1 << argument;
	all->may_fail |= argument >= FORMAT_ARGUMENTS_MAX;
}

static void read_directives(
	const char *format, size_t length, struct directives *all)
{
	struct format_cursor cursor;
	struct format_directive directive;

	format_begin_for(&cursor, format, length, host_libc_version);
	while (format_next(&cursor, &directive)) {
		if (directive.conversion == 'n') {
			all->stores = true;
			all->stores_first |= !cursor.general;
		}
		/* A character that the locale lacks ends the text. */
		if (!all->stores && directive.size == FORMAT_LONG)
			all->may_fail |= directive.conversion == 's' ||
					 directive.conversion == 'c';
		note(all, directive.width_argument);
		note(all, directive.precision_argument);
		note(all, directive.argument);
	}
	all->may_fail |= cursor.at < cursor.end;
}

const char *fortify_decision(const char *format)
{
	struct directives all = {false};
	size_t length = bytes_length(format);
	const char *writable =
		libc_has(host_libc_version, LIBC_SEGMENTS)
			? "*** %n in writable segments detected ***\n"
			: "*** %n in writable segment detected ***\n";
	bool writes;

	read_directives(format, length, &all);
	/* With directives of its own a program may mean anything. */
	if (all.may_fail || plan_always_at_once)
		return NULL;
	writes = all.stores && is_writable(format, length + 1);
	if (writes && all.stores_first)
		return writable;
	/* All numbers up to the highest one have to be there. */
	if (all.arguments & (all.arguments + 1))
		return "*** invalid %N$ use detected ***\n";
	return writes ? writable : NULL;
}

#include "shim/host/environment.h"

#include <elf.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "shim/host/bytes.h"
#include "shim/host/sys.h"

/* More entries than any kernel has in its auxiliary vector. */
#define AUXILIARY 64
#define LARGEST_PAGE 65536u

static int saved_argc;
static char **saved_argv;

/* Of a stack, below its environment; and of arguments. */
#define STACK_MOST ((uintptr_t)16 << 20)
#define ARGUMENTS_MOST ((uintptr_t)1 << 20)

/*
 * A constructor that comes before ours has called us.  The kernel puts the
 * environment behind the arguments, and their number in front of them, which is
 * less than any address.  If that environment is still libc's, it is above us,
 * on the stack of the first thread.
 */
static void find_arguments(void)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	uintptr_t count = 0;
	char **at = __environ;

	if ((uintptr_t)at - here >= STACK_MOST ||
		SYS0(gettid) != SYS0(getpid) || *--at)
		return;
	for (; (uintptr_t)*--at != count && count <= ARGUMENTS_MOST; count++)
		if ((uintptr_t)*at <= ARGUMENTS_MOST)
			return;
	if (count > ARGUMENTS_MOST)
		return;
	saved_argc = (int)count;
	saved_argv = at + 1;
}

static bool has_arguments(void)
{
	if (!saved_argv && __environ)
		find_arguments();
	return saved_argv;
}

int environment_argc(void)
{
	return has_arguments() ? saved_argc : 0;
}

char **environment_argv(void)
{
	return has_arguments() ? saved_argv : NULL;
}

/* /proc/self/environ, where libc has no environment yet; never unmapped. */
#define EARLY_BYTES ((size_t)1 << 20)

static const char *early;
static size_t early_bytes;

/* False: there is no memory. */
static bool read_early(void)
{
	long address = SYS6(mmap, 0, EARLY_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long fd, n;

	if (sys_failed(address))
		return false;
	early = (const char *)address;
	fd = SYS4(openat, AT_FDCWD, "/proc/self/environ", O_RDONLY | O_CLOEXEC,
		0);
	/* The last byte stays zero, so that every string ends. */
	while (!sys_failed(fd) && early_bytes < EARLY_BYTES - 1 &&
		(n = SYS3(read, fd, address + (long)early_bytes,
			 EARLY_BYTES - 1 - early_bytes)) > 0)
		early_bytes += (size_t)n;
	if (!sys_failed(fd))
		SYS1(close, fd);
	return true;
}

/* The value in "NAME=value", or null. */
static const char *value_in(const char *variable, const char *name)
{
	size_t length = bytes_length(name);

	return bytes_starts(variable, name) && variable[length] == '='
		       ? variable + length + 1
		       : NULL;
}

static const char *get_early(const char *name)
{
	const char *value = NULL;

	if (!early && !read_early())
		return NULL;
	for (size_t at = 0; at < early_bytes && !value;
		at += bytes_length(early + at) + 1)
		value = value_in(early + at, name);
	return value;
}

void environment_each(const char *prefix, void (*take)(const char *rest))
{
	size_t length = bytes_length(prefix);

	if (!__environ && !early)
		read_early();
	for (char **e = __environ; e && *e; e++)
		if (bytes_starts(*e, prefix))
			take(*e + length);
	for (size_t at = 0; !__environ && at < early_bytes;
		at += bytes_length(early + at) + 1)
		if (bytes_starts(early + at, prefix))
			take(early + at + length);
}

const char *environment_get(const char *name)
{
	const char *value = NULL;

	if (!__environ)
		return get_early(name);
	for (char **e = __environ; *e && !value; e++)
		if (**e == *name)
			value = value_in(*e, name);
	return value;
}

static bool find_in(const Elf64_auxv_t *vector, size_t count, uint64_t type,
	uint64_t *value)
{
	for (size_t i = 0; i < count && vector[i].a_type != AT_NULL; i++)
		if (vector[i].a_type == type) {
			*value = vector[i].a_un.a_val;
			return true;
		}
	return false;
}

/*
 * The kernel puts it behind the environment, which is behind the arguments.
 * Where ld.so has taken variables away there is more than one null between.
 */
static bool ask_stack(uint64_t type, uint64_t *value)
{
	char **at;

	if (!has_arguments())
		return false;
	at = saved_argv + saved_argc + 1;
	while (*at)
		at++;
	while (!*at)
		at++;
	return find_in((const Elf64_auxv_t *)at, AUXILIARY, type, value);
}

static bool ask_kernel(uint64_t type, uint64_t *value)
{
	Elf64_auxv_t vector[AUXILIARY];
	long fd = SYS4(
		openat, AT_FDCWD, "/proc/self/auxv", O_RDONLY | O_CLOEXEC, 0);
	long n = sys_failed(fd) ? 0 : SYS3(read, fd, vector, sizeof(vector));

	if (!sys_failed(fd))
		SYS1(close, fd);
	return n > 0 &&
	       find_in(vector, (size_t)n / sizeof(*vector), type, value);
}

/* Not by getauxval(), which may be the program's own. */
bool environment_auxiliary(uint64_t type, uint64_t *value)
{
	return ask_stack(type, value) || ask_kernel(type, value);
}

#if !defined(__x86_64__)
uint32_t environment_page(void)
{
	static uint32_t known; /* 4 KiB, 16 KiB or 64 KiB */
	uint64_t bytes;

	if (unlikely(known == 0)) {
		if (!environment_auxiliary(AT_PAGESZ, &bytes))
			bytes = LARGEST_PAGE;
		known = (uint32_t)bytes;
	}
	return known;
}
#endif

bool environment_is_secure(void)
{
	uint64_t secure;

	if (environment_auxiliary(AT_SECURE, &secure))
		return secure != 0;
	/* Else as the kernel decides who may look into a process. */
	return SYS0(getuid) != SYS0(geteuid) || SYS0(getgid) != SYS0(getegid) ||
	       SYS1(prctl, PR_GET_DUMPABLE) != 1;
}

/* What has to wait until there is an environment. */
static struct {
	const char *name;
	char value[4096];
} put_off[3];
static int put_off_count;

static void set_later(const char *name, const char *value)
{
	for (int i = 0; i < 3; i++) {
		struct bytes_text text = {
			put_off[i].value, sizeof(put_off[i].value), 0};

		if (i < put_off_count && put_off[i].name != name)
			continue;
		bytes_put(&text, value);
		put_off[i].name = name;
		put_off_count += i == put_off_count;
		return;
	}
}

/*
 * What the program's environment is once we have added to it: few programs
 * have more variables than fit in here, which takes no memory of their own.
 */
static struct {
	char *entry[96];
	char text[1280];
} small;

/* The list that was made last, how many entries it can have, and what is left
 * for the strings. */
static char **ours;
static size_t ours_most;
static struct bytes_text room;

/* `count` more entries than there are, and so many bytes, in a list of ours. */
static bool make_room(size_t count, size_t bytes)
{
	size_t most = count + 8, size = bytes + 1024;
	long address;

	if (__environ == ours && count < ours_most &&
		bytes <= room.size - room.length)
		return true;
	if (!ours && count < sizeof(small.entry) / sizeof(*small.entry) &&
		bytes <= sizeof(small.text)) {
		ours = small.entry;
		ours_most = sizeof(small.entry) / sizeof(*small.entry) - 1;
		room = (struct bytes_text){small.text, sizeof(small.text), 0};
	} else {
		address = SYS6(mmap, 0, most * sizeof(*ours) + size,
			PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			0);
		if (sys_failed(address))
			return false;
		ours = (char **)address;
		ours_most = most - 1;
		room = (struct bytes_text){(char *)(ours + most), size, 0};
	}
	for (size_t i = 0; __environ[i]; i++)
		ours[i] = __environ[i];
	__environ = ours;
	return true;
}

void environment_set(const char *name, const char *value)
{
	size_t count = 0, length;
	char *variable;

	if (!__environ) {
		set_later(name, value);
		return;
	}
	while (__environ[count])
		count++;
	length = bytes_length(name) + bytes_length(value) + 1;
	if (!make_room(count + 1, length))
		return;
	variable = room.buffer + room.length;
	bytes_put(&room, name);
	bytes_put(&room, value);
	room.length++;
	/* At the end: programs that overwrite their arguments to set a process
	 * title check that the old strings follow each other. */
	ours[count + 1] = NULL;
	ours[count] = variable;
	for (size_t i = 0; i < count; i++)
		if (bytes_starts(ours[i], name)) {
			ours[i] = variable;
			ours[count] = NULL;
		}
}

void environment_overwrite(const char *name, const char *value)
{
	size_t length = bytes_length(name);

	for (char **e = __environ; e && *e; e++)
		if (bytes_starts(*e, name) &&
			bytes_length(*e + length) == bytes_length(value)) {
			bytes_copy(*e + length, value, bytes_length(value));
			return;
		}
	environment_set(name, value);
}

void environment_arguments(int argc, char **argv, char **environment)
{
	/* At the start it lies behind the arguments; a library that is loaded
	 * later is given the present one.  The loader of musl gives nothing:
	 * these may be any bits. */
	uintptr_t behind =
		(uintptr_t)argv + ((uintptr_t)argc + 1) * sizeof(*argv);

	if ((uintptr_t)environment == behind || environment == __environ) {
		saved_argc = argc;
		saved_argv = argv;
	}
	/* A page that is written to before it is read costs one fault. */
	SIGNAL_FENCE();
	for (int i = 0; i < put_off_count; i++)
		environment_set(put_off[i].name, put_off[i].value);
}

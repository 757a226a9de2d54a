#include "shim/host/host.h"

#include <dlfcn.h>
#include <signal.h>

#include "shim/host/bytes.h"
#include "shim/host/libio.h"
#include "shim/host/lookup.h"
#include "shim/host/objects.h"

#define BORROW(returns, name, parameters) returns(*host_##name) parameters;
#include "shim/host/borrowed.def"
#undef BORROW

extern HIDDEN const struct first_use host_borrowed[], host_borrowed_end[];

__asm__(FIRST_USE_TABLE(host_borrowed)
#define BORROW(returns, name, parameters) FIRST_USE_ROW(name, host_##name)
#include "shim/host/borrowed.def"
#undef BORROW
		FIRST_USE_END(host_borrowed));

/* Of libc's variables, one after the other: no farther apart. */
#define NEAR ((uintptr_t)1 << 20)

/* Before we know better; never null. */
static int early_errno;

static __attribute__((const)) int *find_early_errno(void)
{
	return &early_errno;
}

int *(*host_errno)(void)__attribute__((const)) = find_early_errno;

bool host_resolved;
bool host_is_glibc;
uint32_t host_libc_version;
bool host_knows_files;
void *host_abort_message;
const void *host_file_jumps;
const FILE *host_file_stdout;
const FILE *host_file_stderr;
const char *host_single_threaded;

/*
 * Stands in for a function that the host does not have, or that is called
 * before we can look it up (by a malloc that prints): it fails.
 */
static long absent(void)
{
	errno = ENOSYS;
	return -1;
}

static struct lookup lookup;

/*
 * Other threads may call through it meanwhile: by the stub, or at once.  Their
 * calls are plain ones, of which ThreadSanitizer shall not complain.
 */
TSAN_IGNORE static void set_next(const struct first_use *row, void *found)
{
	__atomic_store_n(first_use_next(row), found, __ATOMIC_RELAXED);
}

/*
 * While there is no list of libraries, it is as if there were no function.
 * What is not in libc before glibc 2.34 may be gone again later: it is not
 * remembered.
 */
static void *find_first(const struct first_use *row)
{
	void *found = lookup_find(&lookup, first_use_name(row));

	if (!found && !objects_ask && lookup.count) {
		found = lookup_find_anywhere(first_use_name(row));
		if (found)
			return found;
	}
	if (!found)
		found = (void *)(uintptr_t)absent;
	if (lookup.count)
		set_next(row, found);
	return found;
}

static void prepare(const struct first_use *row, const struct first_use *end)
{
	for (; row < end; row++) {
		void *stub = first_use_stub(row);

		*first_use_next(row) = stub ? stub : (void *)(uintptr_t)absent;
	}
}

/*
 * Only where the loader's list cannot be read.  By the oldest version of its
 * name, which is in all of them: before glibc 2.34 in libdl, without which
 * there is none.
 */
#if __GLIBC_PREREQ(2, 34)
#if defined(__x86_64__)
__asm__(".symver dlsym, dlsym@GLIBC_2.2.5");
#else
__asm__(".symver dlsym, dlsym@GLIBC_2.17");
#endif
#endif
#pragma weak dlsym

/*
 * dlsym() allocates when it finds nothing, and whoever allocates may be who has
 * called us.
 */
void *host_find(const char *name)
{
	if (lookup.count) {
		void *found = lookup_find(&lookup, name);

		if (found || !lookup_defines(&lookup, name))
			return found;
	}
	return dlsym ? dlsym(RTLD_NEXT, name) : NULL;
}

/*
 * In a program linked with musl all calls are passed on.  Since its
 * version 1.2.4 it has no fopen64 and the like: fopen is the same function.
 */
static void *find_without_64(const char *name)
{
	char shorter[32];
	size_t length = bytes_length(name);

	if (length < 3 || length - 2 >= sizeof(shorter) ||
		name[length - 2] != '6' || name[length - 1] != '4')
		return NULL;
	bytes_copy(shorter, name, length - 2);
	shorter[length - 2] = '\0';
	return host_find(shorter);
}

static void find_all(const struct first_use *row, const struct first_use *end)
{
	for (; row < end; row++) {
		void *next = host_find(first_use_name(row));

		if (!next && !host_is_glibc)
			next = find_without_64(first_use_name(row));
		*first_use_next(row) = next ? next : (void *)(uintptr_t)absent;
	}
}

/* What libc has for strerrordesc_np() and sigdescr_np() before glibc 2.32. */
static const char *const *error_texts, *const *signal_texts;
static const int *error_count;

static const char *describe_error(int number)
{
	return error_texts && error_count && number >= 0 &&
			       number < *error_count
		       ? error_texts[number]
		       : NULL;
}

static const char *describe_signal(int number)
{
	return signal_texts && number >= 0 && number < NSIG
		       ? signal_texts[number]
		       : NULL;
}

/* Before glibc 2.34 it is in libpthread, without which nobody is cancelled. */
static void never_cancelled(void)
{
}

static void no_cleanup_push(struct _pthread_cleanup_buffer *buffer,
	void (*routine)(void *), void *argument)
{
	(void)buffer;
	(void)routine;
	(void)argument;
}

static void no_cleanup_pop(struct _pthread_cleanup_buffer *buffer, int execute)
{
	(void)buffer;
	(void)execute;
}

static int no_thread_clock(pthread_t thread, clockid_t *clock)
{
	(void)thread;
	(void)clock;
	return ENOSYS;
}

static void find_older(void)
{
	if (!host_find("pthread_getcpuclockid"))
		host_pthread_getcpuclockid = no_thread_clock;
	if (!host_find("pthread_testcancel"))
		host_pthread_testcancel = never_cancelled;
	if (!host_find("_pthread_cleanup_push")) {
		host__pthread_cleanup_push = no_cleanup_push;
		host__pthread_cleanup_pop = no_cleanup_pop;
	}
	error_texts = host_find("_sys_errlist");
	error_count = host_find("_sys_nerr");
	signal_texts = host_find("_sys_siglist");
	if (!host_find("strerrordesc_np"))
		host_strerrordesc_np = describe_error;
	if (!host_find("sigdescr_np"))
		host_sigdescr_np = describe_signal;
}

/* Those that have a meaning before they are looked up. */
static void find_needed(void)
{
	void *found = host_find("__errno_location");

	if (found)
		*(void **)(uintptr_t)&host_errno = found;
	found = host_find("_dl_find_object");
	if (found)
		*(void **)(uintptr_t)&objects_ask = found;
}

static void find_version(void)
{
	const char *(*tell)(void), *text;
	uint64_t major, minor;

	__extension__(tell = host_find("gnu_get_libc_version"));
	host_is_glibc = tell != NULL;
	text = tell ? tell() : "";
	if (bytes_number(&text, 10, &major) && *text++ == '.' &&
		bytes_number(&text, 10, &minor))
		host_libc_version = (uint32_t)(major * 1000 + minor);
}

/* The versions whose sources and behaviour were looked at. */
#define LIBC_OLDEST 2031u
#define LIBC_NEWEST 2043u

/*
 * By what a program cannot have changed before anything of it runs: the mark,
 * the lock, which is one of libc's variables, and behind the part that
 * programs know, unless it is for wide text, the table of its functions.
 */
static bool is_file(const FILE *file)
{
	const void *lock = file->_lock;
	const void *jumps = *(const void *const *)(file + 1);

	return ((uint32_t)file->_flags & LIBIO_MAGIC_MASK) == LIBIO_MAGIC &&
	       (uintptr_t)lock - (uintptr_t)file + NEAR < 2 * NEAR &&
	       (file->_mode > 0 || jumps == host_file_jumps);
}

static void check_files(void)
{
	host_knows_files = host_libc_version >= LIBC_OLDEST &&
			   host_libc_version <= LIBC_NEWEST &&
			   host_file_stdout && host_file_stderr &&
			   is_file(host_file_stdout) &&
			   is_file(host_file_stderr);
}

COLD void host_resolve_now(void)
{
	host_resolved = true;
	first_use_find = find_first;
	prepare(host_borrowed, host_borrowed_end);
	prepare(host_functions, host_functions_end);
	if (!lookup_begin(&lookup))
		lookup.count = 0;
	find_needed();
	find_version();
	host_abort_message = host_find("__abort_msg");
	host_file_jumps = host_find("_IO_file_jumps");
	host_file_stdout = host_find("_IO_2_1_stdout_");
	host_file_stderr = host_find("_IO_2_1_stderr_");
	check_files();
	host_single_threaded = host_find("__libc_single_threaded");
	find_all(host_at_once, host_at_once_end);
	if (!first_use_stub(host_functions) ||
		!lookup_end_with(&lookup, "_IO_2_1_stdout_")) {
		find_all(host_borrowed, host_borrowed_end);
		find_all(host_functions, host_functions_end);
	}
	if (!objects_ask) {
		objects_begin();
		find_older();
	}
}

#include "shim/host.h"

#include <dlfcn.h>

#include "shim/cfi.h"
#include "shim/lookup.h"

#define BORROW(returns, name, parameters) returns(*host_##name) parameters;
#include "shim/borrowed.def"
#undef BORROW

extern HIDDEN const struct first_use host_borrowed[], host_borrowed_end[];

__asm__(FIRST_USE_TABLE(host_borrowed)
#define BORROW(returns, name, parameters) FIRST_USE_ROW(name, host_##name)
#include "shim/borrowed.def"
#undef BORROW
		FIRST_USE_END(host_borrowed));

/* Before we know better; never null. */
static int early_errno;

static __attribute__((const)) int *find_early_errno(void)
{
	return &early_errno;
}

int *(*host_errno)(void)__attribute__((const)) = find_early_errno;

bool host_resolved;
bool host_is_glibc;
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

/* While there is no list of libraries, it is as if there were no function. */
static void *find_first(const struct first_use *row)
{
	void *found = lookup_find(&lookup, first_use_name(row));

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

static void *find(const char *name)
{
	void *found = lookup.count ? lookup_find(&lookup, name) : NULL;

	return found ? found : dlsym(RTLD_NEXT, name);
}

static void find_all(const struct first_use *row, const struct first_use *end)
{
	for (; row < end; row++) {
		void *next = find(first_use_name(row));

		*first_use_next(row) = next ? next : (void *)(uintptr_t)absent;
	}
}

/* Those that have a meaning before they are looked up. */
static void find_needed(void)
{
	void *found = find("__errno_location");

	if (found)
		*(void **)(uintptr_t)&host_errno = found;
	found = find("_dl_find_object");
	if (found)
		*(void **)(uintptr_t)&cfi_find_object = found;
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
	host_is_glibc = find("gnu_get_libc_version") != NULL;
	host_abort_message = find("__abort_msg");
	host_file_jumps = find("_IO_file_jumps");
	host_file_stdout = find("_IO_2_1_stdout_");
	host_file_stderr = find("_IO_2_1_stderr_");
	host_single_threaded = find("__libc_single_threaded");
	find_all(host_at_once, host_at_once_end);
	if (!first_use_stub(host_functions) ||
		!lookup_end_with(&lookup, "gnu_get_libc_version")) {
		find_all(host_borrowed, host_borrowed_end);
		find_all(host_functions, host_functions_end);
	}
}

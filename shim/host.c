#include "shim/host.h"

#include <dlfcn.h>

#include "shim/cfi.h"
#include "shim/lookup.h"

#define BORROW(returns, name, parameters) returns(*host_##name) parameters;
#include "shim/borrowed.def"
#undef BORROW

static const struct host_function borrowed[] = {
#define BORROW(returns, name, parameters) {#name, (void **)&host_##name},
#include "shim/borrowed.def"
#undef BORROW
	{NULL, NULL},
};

/* Before we know better; never null. */
static int early_errno;

static __attribute__((const)) int *find_early_errno(void)
{
	return &early_errno;
}

int *(*host_errno)(void)__attribute__((const)) = find_early_errno;

/* Those that have a meaning before they are looked up. */
static const struct host_function needed[] = {
	{"__errno_location", (void **)(uintptr_t)&host_errno},
	{"_dl_find_object", (void **)&cfi_find_object},
	{NULL, NULL},
};

bool host_resolved;
bool host_is_glibc;
void *host_abort_message;
const void *host_file_jumps;
const FILE *host_file_stdout;
const FILE *host_file_stderr;
const char *host_single_threaded;

/*
 * Stands in for a function that the host does not have, or that is called
 * while we are still looking it up (a malloc that prints): it fails.
 */
static long absent(void)
{
	return -1;
}

static void forbid(const struct host_function *function)
{
	for (; function->name; function++)
		*function->next = (void *)(uintptr_t)absent;
}

static struct lookup lookup;

static void *find(const char *name)
{
	void *found = lookup.count ? lookup_find(&lookup, name) : NULL;

	return found ? found : dlsym(RTLD_NEXT, name);
}

static void find_all(const struct host_function *function)
{
	for (; function->name; function++) {
		void *next = find(function->name);

		if (next)
			*function->next = next;
	}
}

COLD void host_resolve_now(void)
{
	host_resolved = true;
	forbid(borrowed);
	forbid(host_functions);
	if (!lookup_begin(&lookup))
		lookup.count = 0;
	find_all(needed);
	find_all(borrowed);
	find_all(host_functions);
	host_is_glibc = find("gnu_get_libc_version") != NULL;
	host_abort_message = find("__abort_msg");
	host_file_jumps = find("_IO_file_jumps");
	host_file_stdout = find("_IO_2_1_stdout_");
	host_file_stderr = find("_IO_2_1_stderr_");
	host_single_threaded = find("__libc_single_threaded");
}

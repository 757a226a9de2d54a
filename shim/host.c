#include "shim/host.h"

#include <dlfcn.h>

#define BORROW(returns, name, parameters) returns(*host_##name) parameters;
#include "shim/borrowed.def"
#undef BORROW

static const struct host_function borrowed[] = {
#define BORROW(returns, name, parameters) {#name, (void **)&host_##name},
#include "shim/borrowed.def"
#undef BORROW
	{NULL, NULL},
};

bool host_resolved;
void *host_abort_message;
const FILE *host_file_stdout;
const FILE *host_file_stderr;

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

static void find_next(const struct host_function *function)
{
	for (; function->name; function++) {
		void *next = dlsym(RTLD_NEXT, function->name);

		if (next)
			*function->next = next;
	}
}

COLD void host_resolve_now(void)
{
	host_resolved = true;
	forbid(borrowed);
	forbid(host_functions);
	find_next(borrowed);
	find_next(host_functions);
	host_abort_message = dlsym(RTLD_NEXT, "__abort_msg");
	host_file_stdout = dlsym(RTLD_NEXT, "_IO_2_1_stdout_");
	host_file_stderr = dlsym(RTLD_NEXT, "_IO_2_1_stderr_");
}

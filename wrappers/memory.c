#include <stdarg.h>
#include <sys/mman.h>

#include "shim/control/process.h"
#include "shim/host/module.h"
#include "shim/writer/writer.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

static int protect(void *address, size_t size, int protection, int key)
{
	return key == MEMORY_NO_KEY
		       ? next_mprotect(address, size, protection)
		       : next_pkey_mprotect(address, size, protection, key);
}

/*
 * Constant texts are known by their address, which says nothing once they may
 * be changed: no new ones from before the call on, and the others until it
 * returns.
 */
int memory_protect(void *address, size_t size, int protection, int key)
{
	bool changes = protection & PROT_WRITE && module_changes(address, size);
	int result = protect(address, size, protection, key);

	if (unlikely(changes)) {
		int kept = errno;

		process_changed();
		errno = kept;
	}
	return result;
}

void *memory_attach(int id, const void *address, int flags)
{
	writer_hear_others();
	return next_shmat(id, address, flags);
}

sem_t *memory_semaphore(const char *name, int flags, va_list ap)
{
	mode_t mode;
	unsigned value;
	va_list rest;

	va_copy(rest, ap);
	mode = va_arg(rest, mode_t);
	value = va_arg(rest, unsigned);
	va_end(rest);
	writer_hear_others();
	return next_sem_open(name, flags, mode, value);
}

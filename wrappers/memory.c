#include <sys/mman.h>

#include "shim/module.h"
#include "shim/position.h"
#include "shim/process.h"
#include "shim/streams.h"
#include "shim/sys.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

static void forget(void)
{
	int kept = errno;

	process_changed();
	errno = kept;
}

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

	if (unlikely(changes))
		forget();
	return result;
}

/* Text that is not written is no part of the file, which is made as long as it
 * natively would be: else to touch that would end the program. */
static void map_output(int fd)
{
	int kept = errno;
	unsigned stream = streams_of(fd);

	if (position_matters(stream))
		position_map(stream);
	errno = kept;
}

/* Others may come to where constants were. */
void *memory_map(void *address, size_t size, int protection, int flags, int fd,
	off64_t offset, void *(*next)(void *, size_t, int, int, int, off64_t))
{
	bool changes = flags & MAP_FIXED && module_changes(address, size);
	void *result;

	if (!(flags & MAP_ANONYMOUS) && fd >= 0 && !sys_forbidden)
		map_output(fd);
	result = next(address, size, protection, flags, fd, offset);
	if (unlikely(changes))
		forget();
	return result;
}

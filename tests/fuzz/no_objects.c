/* What shim/unwind/cfi.c asks the loader, which is not there for a target. */
#include "shim/host/objects.h"

bool objects_find(uintptr_t address, struct object *object)
{
	(void)address;
	(void)object;
	return false;
}

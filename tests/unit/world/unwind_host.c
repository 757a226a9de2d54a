/* What the unwinders find of the program around them: here it is its own. */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/auxv.h>

extern int *(*host_errno)(void);
int *(*host_errno)(void) = __errno_location;

void *host_find(const char *name);
bool environment_auxiliary(uint64_t type, uint64_t *value);

void *host_find(const char *name)
{
	return dlsym(RTLD_DEFAULT, name);
}

bool environment_auxiliary(uint64_t type, uint64_t *value)
{
	*value = getauxval(type);
	return *value != 0;
}

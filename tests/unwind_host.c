/* What the unwinders find of the program around them: here it is its own. */
#include <errno.h>

extern int *(*host_errno)(void);
int *(*host_errno)(void) = __errno_location;

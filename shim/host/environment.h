/*
 * The program's environment and arguments, read and extended without libc's
 * functions, which the program may have replaced and which allocate.  Used
 * while arming only.
 */
#ifndef SHIM_ENVIRONMENT_H
#define SHIM_ENVIRONMENT_H

/*
 * From the constructor: what glibc's loader hands over, and other loaders do
 * not: then they are whatever the registers held, and are left alone.  By now
 * libc has the environment, so what environment_set() had to put off is done.
 */
void environment_arguments(int argc, char **argv, char **environment);
int environment_argc(void);
char **environment_argv(void);

/*
 * The value of a variable, or null.  Before libc has been initialized
 * (DT_PREINIT_ARRAY) as the kernel has it.
 */
const char *environment_get(const char *name);

/* All variables whose names begin so: what is behind that, NAME=VALUE. */
void environment_each(const char *prefix, void (*take)(const char *rest));

/* A value of the auxiliary vector, getauxval(3); false: it is not there. */
bool environment_auxiliary(uint64_t type, uint64_t *value);

/* Bytes of a page of this kernel: what it maps and unmaps is made of these. */
#if defined(__x86_64__)
static inline uint32_t environment_page(void)
{
	return 4096;
}
#else
uint32_t environment_page(void);
#endif

/*
 * The kernel has started this program with more rights than its caller's
 * (secure-execution mode, ld.so(8)): then no variable may be obeyed.
 */
bool environment_is_secure(void);

/*
 * Adds or replaces a variable for the children of this process; `name` ends
 * in '='.  Copies both.  Gives up silently when there is no memory.
 */
void environment_set(const char *name, const char *value);

/* The same, in place if the value that is there is as long as this one. */
void environment_overwrite(const char *name, const char *value);

#endif

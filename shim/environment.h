/*
 * The program's environment and arguments, read and extended without libc's
 * functions, which the program may have replaced and which allocate.  Used
 * while arming only.
 */
#ifndef SHIM_ENVIRONMENT_H
#define SHIM_ENVIRONMENT_H

/* From the constructor: what the loader hands over. */
void environment_arguments(int argc, char **argv);
int environment_argc(void);
char **environment_argv(void);

/* False before libc itself has been initialized. */
bool environment_exists(void);

/* The value of a variable, or null. */
const char *environment_get(const char *name);

/*
 * Adds or replaces a variable for the children of this process; `name` ends
 * in '='.  Copies both.  Gives up silently when there is no memory.
 */
void environment_set(const char *name, const char *value);

#endif

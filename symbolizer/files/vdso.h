/*
 * The code that the running kernel maps into every process, as a file.  Called
 * by openfile for the name VDSO_NAME.  Promises nothing about any other
 * kernel: whether the code is that of a capture, its build-id tells.
 */
#ifndef SYMBOLIZER_VDSO_H
#define SYMBOLIZER_VDSO_H

#include <stdint.h>

#define VDSO_NAME "[vdso]"

/* A descriptor for reading, which the caller closes, or -1 with errno. */
int vdso_open(void);

/* By which it is told from that of another kernel; 0: there is none. */
uint32_t vdso_sum(void);

#endif

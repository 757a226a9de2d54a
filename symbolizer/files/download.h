/*
 * Debug files from the servers of debuginfod, by libdebuginfod, which is
 * opened when it is needed and not linked.  Called by debugfile for the names,
 * and by openfile in the process that may use the network.  Promises that
 * nobody is asked, whatever the environment says, unless that was allowed.
 */
#ifndef SYMBOLIZER_DOWNLOAD_H
#define SYMBOLIZER_DOWNLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolizer/files/openfile.h"

#define DOWNLOAD_BUILD_ID_MAX 64
#define DOWNLOAD_DIGITS_MAX ((size_t)2 * DOWNLOAD_BUILD_ID_MAX)
#define DOWNLOAD_PREFIX "[debuginfod]"
#define DOWNLOAD_NAME_MAX (sizeof(DOWNLOAD_PREFIX) - 1 + DOWNLOAD_DIGITS_MAX)

/* The build-id in hexadecimal, with its NUL.  False when it is too long. */
bool download_digits(char *digits, const uint8_t *build_id, size_t bytes);

/* The name under which openfile_open() opens the debug file of a build-id. */
bool download_name(char *name, const uint8_t *build_id, size_t bytes);

/* From here on, in this process. */
void download_allow(void);

/* It is such a name, and it is allowed. */
bool download_wants(const char *name);

/*
 * Asks the servers in DEBUGINFOD_URLS, and waits for them as long as
 * debuginfod_find_debuginfo(3) does.  The caller closes *descriptor when the
 * result is OPENFILE_FINE.
 */
enum openfile_result download_open(int *descriptor, const char *name);

#endif

/*
 * The log that is being written: an open file, and what went wrong with it.
 * Used by binlog-pack.  The file is valid at any length, so what is there when
 * a write fails stays.
 */
#ifndef TOOLS_PACK_LOG_FILE_H
#define TOOLS_PACK_LOG_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct log_file {
	int fd;
	int failed; /* errno of the first call that failed, or 0 */
	uint64_t bytes;
};

/*
 * Makes the file, for its owner alone; "-" is standard output.  One that is
 * there already is a failure (EEXIST) unless `force`, and then it must be one
 * that log_file_is_own(), and is emptied; a symbolic link is never followed.
 */
bool log_file_open(struct log_file *log, const char *path, bool force);

/*
 * A regular file of this user without another name: what somebody has put in
 * the place of a log is not written over.  False: errno says why.
 */
bool log_file_is_own(int fd);

/* Writes everything, as pack_take. */
bool log_file_take(void *closure, const void *bytes, size_t size);

/* Whether what was written can be read again, */
bool log_file_gives_back(const struct log_file *log);

/* which this does, as pack_give_back. */
bool log_file_give_back(void *closure, uint64_t back, void *bytes, size_t size);

/* False: it failed, now or before. */
bool log_file_close(struct log_file *log);

#endif

/*
 * Which glibc a process prints with, and what has changed from one to the
 * next: libc_changes.def is the list.  The capturing side asks for the libc it
 * runs with, the reading side for that which the capture names, so a log is
 * read alike wherever it is read.  Constants only.
 */
#ifndef RECORD_LIBC_H
#define RECORD_LIBC_H

#include <stdbool.h>
#include <stdint.h>

/* 2.36 is 2036. */
#define LIBC_VERSION(major, minor) (1000u * (major) + (minor))

/* Captures that name none, where it is 0, were made for this one. */
#define LIBC_UNNAMED LIBC_VERSION(2, 36)

/* Whatever any of them knows. */
#define LIBC_ANY UINT32_MAX

enum libc_change {
#define LIBC_CHANGE(name, since, source, what) LIBC_##name = since,
#include "record/libc_changes.def"
#undef LIBC_CHANGE
};

static inline bool libc_has(uint32_t libc, enum libc_change change)
{
	return (libc != 0 ? libc : LIBC_UNNAMED) >= (uint32_t)change;
}

/* Portions in which text is handed on: see BUFFERS and so on. */
#define LIBC_STAGE 128u
#define LIBC_STAGE_DPRINTF 2048u

/* What is handed on of so much text before a failure, by portions. */
static inline uint64_t libc_handed_on(uint64_t length, uint64_t stage)
{
	return length > 0 ? (length - 1) / stage * stage : 0;
}

#endif

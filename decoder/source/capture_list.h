/*
 * From the paths on the command line to open captures and to packed logs,
 * which are opened later: a directory stands for all of them in it, in the
 * order of their names.  Called by main once.
 */
#ifndef DECODER_CAPTURE_LIST_H
#define DECODER_CAPTURE_LIST_H

#include <sys/stat.h>

#include "base/error.h"
#include "decoder/capture/recording.h"
#include "decoder/packed/packed_reader.h"
#include "decoder/packed/packed_tail.h"
#include "decoder/text/text_reader.h"

struct capture_list {
	struct recording **captures;
	size_t count;
	const char **packed; /* paths of packed logs; "-" is standard input */
	size_t packed_count;
	struct packed_tail **tails; /* null, or for each of these what of it is */
				    /* wanted; null: all.  The caller's. */
	const char **waiting; /* see capture_list_unpack() */
	size_t waiting_count;
	const char *const *texts; /* likewise of files of plain text; not the */
	size_t text_count;	  /* list's own, and not in `names` */
	struct text_settings text;
	char **names; /* of all that was tried: errors refer to them */
	size_t name_count;
	size_t room; /* of those with names */
	bool all;    /* also what rings hold although they wait for something */
};

/*
 * Before rights are given up, where capture_list_unpack() will be called
 * afterwards: makes the temporary file that it needs.
 */
void capture_list_prepare(void);

/*
 * Opens what `path` names and appends it; what is compressed, or comes through
 * standard input, has to wait; `list` starts as all zeros, but for `all` and
 * what is said of texts.  What cannot be opened is added to `errors`, which
 * must not outlive the list.
 */
void capture_list_add(
	struct capture_list *list, const char *path, struct error_list *errors);

/*
 * Looks at what has to wait: standard input that is a packed log goes to
 * `packed`.  Blocks until its first bytes have come.
 */
void capture_list_look(struct capture_list *list);

/*
 * Looks at and unpacks what had to wait, opens and appends it: not before
 * rights were given up, since the bytes may be hostile.
 */
void capture_list_unpack(struct capture_list *list, struct error_list *errors);

/* All captures are to be read once more.  False: out of memory. */
bool capture_list_read_again(struct capture_list *list);

/* Whether captures and packed logs, compressed or not, have such names. */
bool capture_list_takes(const char *name);

/* Whether it is a regular file with a packed log, not compressed, or an empty
 * one with the name of one. */
bool capture_list_is_log(const char *path);

/* Whether this file is one of those that are read. */
bool capture_list_reads(
	const struct capture_list *list, const struct stat *file);

/*
 * One of `packed` is a trace of Heph.  Of standard input the first bytes are
 * waited for.
 */
bool capture_list_is_trace(const char *path);

/* Closes all captures and frees what the list owns. */
void capture_list_free(struct capture_list *list);

#endif

/*
 * Which statement of the program a message was made by, where the call that
 * printed it was given a finished text: redis, nginx, sshd and most daemons
 * format into a buffer and print that from one place.  Called for each message
 * before anybody looks at it.  The constants that the calls of its stack hand
 * on are read out of the programs, without their debug information; the text
 * decides which one it was.  Promises messages whose text is the same to the
 * byte, and to leave a message as it is where no constant accounts for it.
 * One thread.
 */
#ifndef DECODER_STATEMENTS_H
#define DECODER_STATEMENTS_H

#include "decoder/capture/message.h"
#include "decoder/capture/restore.h"

struct statements;

/*
 * `restore`, which knows the programs, stays the caller's; if it `matters`, it
 * will complain about those that are not there.  Null: out of memory.
 */
struct statements *statements_new(struct restore *restore, bool matters);

/* Null is fine. */
void statements_free(struct statements *statements);

/*
 * The message, or another one like it, as if the program had called printf
 * with the statement: its format and arguments are those of the statement,
 * which stand between what was put around them, and it is where the statement
 * is.  Valid until the next call, and no longer than the message itself.
 */
const struct message *statements_apply(
	struct statements *statements, const struct message *message);

#endif

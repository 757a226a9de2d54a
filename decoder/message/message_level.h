/*
 * How important a message is: as syslog(3) was told, or as its text says, or
 * as is usual for the function and the stream.  Asked by who shows it.
 */
#ifndef DECODER_MESSAGE_LEVEL_H
#define DECODER_MESSAGE_LEVEL_H

#include "decoder/capture/message.h"

/* One of rules/levels.def. */
int message_level(const struct message *message);

#endif

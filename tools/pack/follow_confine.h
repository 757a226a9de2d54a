/*
 * What binlog-pack --follow gives up before it reads.  Called once, before
 * there is a second thread.  Promises that the captures, the log and those that
 * follow it can still be written.
 */
#ifndef TOOLS_PACK_FOLLOW_CONFINE_H
#define TOOLS_PACK_FOLLOW_CONFINE_H

/* Null, or a sentence why it must not go on, see confine.h. */
const char *follow_confine(const char *captures, const char *log);

#endif

/*
 * What mains of readers say to people on standard error, after all is done:
 * nothing else in the decoder prints.
 */
#ifndef DECODER_SAY_H
#define DECODER_SAY_H

#include "base/error.h"
#include "decoder/source/capture_list.h"

struct output;
struct locations;

/* A sentence for each error that was kept, and how many more there are; and
 * one for each limit that was met and has not been told of. */
void say_errors(const struct error_list *errors);

/* These sentences about limits alone. */
void say_limits(void);

/* True: it could not be written, and that matters. */
bool say_output(const struct output *output);

/* Of files whose names are missing; null: none were looked for. */
void say_complaints(const struct locations *locations);

/* How much time those of the captures hold that are rings, and what they have
 * kept.  After their messages were read: before, that is not known exactly. */
void say_rings(const struct capture_list *list);

/* Why processes have not gone on in another capture. */
void say_refusals(const struct capture_list *list);

#endif

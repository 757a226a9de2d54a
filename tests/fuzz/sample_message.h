/*
 * A random format with arguments (random_format.h) as a message that the
 * decoder has read.  For targets that ask what is true of messages.
 */
#ifndef TESTS_FUZZ_SAMPLE_MESSAGE_H
#define TESTS_FUZZ_SAMPLE_MESSAGE_H

#include "decoder/capture/message.h"
#include "tests/support/random_format.h"

struct sample_message {
	struct random_sample sample;
	struct definition_string format;
	struct definition_context context;
	struct message message;
};

/* It points into itself.  False: the format takes no arguments that are
 * defined. */
static inline bool sample_message_make(struct sample_message *made)
{
	struct random_sample *sample = &made->sample;

	random_any_format(sample);
	if (sample->count == FORMAT_NONE)
		return false;
	random_arguments(sample);
	made->format = (struct definition_string){
		.bytes = sample->format, .length = sample->length};
	made->context = (struct definition_context){
		.text = BINLOG_TEXT_FORMAT,
		.has_format = true,
		.format = &made->format,
		.kinds = sample->kinds,
		.arguments = (size_t)sample->count,
	};
	made->message = (struct message){
		.context = &made->context,
		.arguments = sample->arguments,
		.count = (size_t)sample->count,
	};
	return true;
}

#endif

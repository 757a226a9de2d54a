#include <errno.h>
#include <stdlib.h>

#include "decoder/export/ctf_class.h"
#include "decoder/export/ctf_stream.h"
#include "decoder/message/message_words.h"
#include "decoder/message/whole_call.h"
#include "decoder/output/output_directory.h"
#include "decoder/output/style.h"
#include "decoder/source/source.h"

struct ctf {
	struct style_settings settings;
	struct ctf_classes classes;
	struct ctf_streams streams;
	struct whole_call call;
	struct ctf_author author;   /* of the call */
	uint32_t class_id;	    /* likewise */
	struct render_buffer event; /* likewise, up to its text */
	struct render_buffer scratch;
};

void *style_ctf_begin(const struct style_settings *settings)
{
	struct ctf *ctf = calloc(1, sizeof(*ctf));

	if (!ctf)
		return NULL;
	ctf->settings = *settings;
	ctf->call.pointers = settings->pointers;
	ctf->streams.directory = settings->output;
	ctf_classes_begin(&ctf->classes, settings->location);
	return ctf;
}

static void put_string(struct render_buffer *out, const char *string)
{
	ctf_class_put_text(out, string, strlen(string));
}

/* As ctf_stream_metadata has it. */
static void put_context(struct ctf *ctf, const struct message *message)
{
	struct render_buffer *out = &ctf->event;

	render_buffer_put(out, &message->pid, sizeof(message->pid));
	render_buffer_put(out, &message->tid, sizeof(message->tid));
	put_string(out, message->thread);
	put_string(out, message->program->name);
	ctf->scratch.length = 0;
	message_words_stream(message, &ctf->scratch);
	ctf_class_put_text(out, ctf->scratch.data, ctf->scratch.length);
}

static void begin_event(void *state, const struct message *message)
{
	struct ctf *ctf = state;

	ctf->author = (struct ctf_author){
		.program = message->program,
		.capture = message->capture,
		.tid = message->tid,
		.wall = message->wall,
	};
	ctf->class_id = ctf_class_of(&ctf->classes, message);
	ctf->event.length = 0;
	put_context(ctf, message);
	ctf_class_put_values(
		&ctf->classes, ctf->class_id, message, &ctf->event);
}

static void put_event(void *state)
{
	struct ctf *ctf = state;
	struct render_buffer *text = &ctf->call.text;
	size_t bytes = text->length;

	bytes -= bytes > 0 && text->data[bytes - 1] == '\n';
	ctf_class_put_text(&ctf->event, text->data, bytes);
	if (ctf->event.failed || text->failed) {
		ctf->settings.output->failed = ENOMEM;
		return;
	}
	ctf_streams_put(&ctf->streams, &ctf->author,
		&(struct ctf_event){
			.class_id = ctf->class_id,
			.body = ctf->event.data,
			.bytes = ctf->event.length,
		});
}

static const struct whole_call_parts parts = {
	.begin = begin_event,
	.end = put_event,
};

void style_ctf_message(void *state, const struct message *message)
{
	struct ctf *ctf = state;

	whole_call_message(&ctf->call, message, &parts, ctf);
}

static void put_losses(struct ctf *ctf)
{
	const struct style_settings *settings = &ctf->settings;
	struct recording *const *packed;
	size_t count = 0;
	size_t i;

	for (i = 0; i < settings->capture_count; i++)
		if (settings->captures[i]->dropped > 0)
			ctf_streams_lose(&ctf->streams, settings->captures[i],
				settings->captures[i]->dropped);
	packed = settings->messages ? source_packed(settings->messages, &count)
				    : NULL;
	for (i = 0; i < count; i++)
		if (packed[i]->dropped > 0)
			ctf_streams_lose(
				&ctf->streams, packed[i], packed[i]->dropped);
}

static void put_metadata(struct ctf *ctf)
{
	static const char begin[] = "/* CTF 1.8 */\n\n";
	struct output *directory = ctf->settings.output;
	struct output file;

	if (!output_directory_begin(directory, "metadata", &file))
		return;
	render_buffer_put(&file.text, begin, sizeof(begin) - 1);
	render_buffer_put(
		&file.text, ctf_stream_metadata, strlen(ctf_stream_metadata));
	if (!spool_give_out(&ctf->classes.declarations, &file) &&
		file.failed == 0)
		file.failed = errno;
	output_directory_end(directory, &file);
}

void style_ctf_end(void *state)
{
	struct ctf *ctf = state;

	if (ctf->call.open)
		put_event(ctf);
	put_losses(ctf);
	ctf_streams_end(&ctf->streams);
	put_metadata(ctf);
	ctf_classes_end(&ctf->classes);
	render_buffer_free(&ctf->call.text);
	render_buffer_free(&ctf->event);
	render_buffer_free(&ctf->scratch);
	free(ctf);
}

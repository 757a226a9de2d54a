/*
 * The event classes of a CTF 1.8 trace: one for each place of a program that
 * calls, with a typed field for each argument.  Used by the style `ctf`, which
 * puts events together of what is said here; their declarations wait in a
 * spool until the metadata is written.
 */
#ifndef DECODER_CTF_CLASS_H
#define DECODER_CTF_CLASS_H

#include "base/pack_table.h"
#include "decoder/message/fields.h"
#include "decoder/names/places.h"
#include "decoder/output/spool.h"

struct ctf_classes {
	struct pack_table known;
	struct spool declarations;
	struct places *location; /* null: places are not named */
	struct render_buffer key;
	struct render_buffer scratch;
};

void ctf_classes_begin(struct ctf_classes *classes, struct places *location);

/*
 * The id of the message's class, which is declared.  Those beyond what can be
 * kept have one in common, which has no fields but the text: 0.
 */
uint32_t ctf_class_of(
	struct ctf_classes *classes, const struct message *message);

/* Appends the arguments as the class has them. */
void ctf_class_put_values(struct ctf_classes *classes, uint32_t id,
	const struct message *message, struct render_buffer *out);

/* Appends text and its NUL. */
void ctf_class_put_text(
	struct render_buffer *out, const char *bytes, size_t size);

void ctf_classes_end(struct ctf_classes *classes);

#endif

#include "symbolizer/worker/askedmodule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t *copy(const uint8_t *bytes, size_t count)
{
	uint8_t *made = malloc(count);

	if (made)
		memcpy(made, bytes, count);
	return made;
}

static char *hexadecimal(const uint8_t *bytes, size_t count)
{
	char *text = malloc(2 * count + 1);
	size_t i;

	for (i = 0; text && i < count; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	if (text)
		text[2 * count] = '\0';
	return text;
}

struct askedmodule *askedmodule_new(const struct symbolizer_module *wanted)
{
	struct askedmodule *module = calloc(1, sizeof(*module));
	struct symbolizer_module *made;

	if (!module)
		return NULL;
	made = &module->wanted;
	*made = *wanted;
	if (made->path)
		made->path = strdup(made->path);
	if (made->build_id_bytes > 0)
		made->build_id = copy(made->build_id, made->build_id_bytes);
	module->name = wanted->path ? strdup(wanted->path)
				    : hexadecimal(wanted->build_id,
					      wanted->build_id_bytes);
	if (module->name && !made->path == !wanted->path &&
		(made->build_id || made->build_id_bytes == 0))
		return module;
	askedmodule_free(module);
	return NULL;
}

void askedmodule_free(struct askedmodule *module)
{
	if (!module)
		return;
	free((char *)(uintptr_t)module->wanted.path);
	if (module->wanted.build_id_bytes > 0)
		free((uint8_t *)(uintptr_t)module->wanted.build_id);
	free(module->name);
	free(module->complaint);
	answerstore_free(&module->answers);
	wirenames_forget(&module->heard);
	openedlist_free(&module->opened);
	free(module);
}

bool askedmodule_is(const struct askedmodule *module,
	const struct symbolizer_module *wanted)
{
	const struct symbolizer_module *mine = &module->wanted;

	if (!mine->path != !wanted->path ||
		(mine->path && strcmp(mine->path, wanted->path) != 0))
		return false;
	return mine->build_id_bytes == wanted->build_id_bytes &&
	       (mine->build_id_bytes == 0 ||
		       memcmp(mine->build_id, wanted->build_id,
			       mine->build_id_bytes) == 0) &&
	       mine->file_bytes == wanted->file_bytes &&
	       mine->content_hash == wanted->content_hash;
}

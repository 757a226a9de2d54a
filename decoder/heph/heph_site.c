#include "decoder/heph/heph_site.h"

#include <string.h>

#include "base/limits.h"
#include "record/hash.h"

struct context {
	struct definition_context context;
	struct definition_string format;
	struct definition_string function;
	struct definition_stream stream;
	uint8_t kinds[HEPH_SITE_ARGUMENTS_MAX];
};

static const uint8_t text_kinds[] = {BINLOG_ARG_STRING};

void heph_sites_begin(struct heph_sites *sites)
{
	*sites = (struct heph_sites){
		.common =
			{
				.text = BINLOG_TEXT_BYTES,
				.restored = true,
				.usable = true,
				.kinds = text_kinds,
				.arguments = 1,
			},
	};
}

void heph_sites_end(struct heph_sites *sites)
{
	pool_free(&sites->pool);
	pack_table_free(&sites->known);
	render_buffer_free(&sites->key);
	id_map_free(&sites->contexts);
}

static struct definition_string copy_string(
	struct heph_sites *sites, const struct heph_string *string)
{
	return (struct definition_string){
		.bytes = pool_copy(&sites->pool, string->bytes, string->size),
		.length = string->size,
	};
}

static void fill_stream(struct heph_sites *sites, struct context *made,
	const struct heph_string *name)
{
	static const struct {
		const char *name;
		uint32_t flags;
		int32_t fd;
	} known[] = {
		{"stdout", BINLOG_STREAM_STDOUT, 1},
		{"stderr", BINLOG_STREAM_STDERR, 2},
		{"syslog", BINLOG_STREAM_SYSLOG, -1},
	};
	struct definition_string path = copy_string(sites, name);
	size_t i;

	made->stream.flags = BINLOG_STREAM_FILE;
	made->stream.fd = -1;
	made->stream.path = path.bytes;
	/* What is on one line is told by that. */
	made->stream.inode = binlog_hash(name->bytes, name->size);
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (path.bytes && strcmp(path.bytes, known[i].name) == 0) {
			made->stream.flags = known[i].flags;
			made->stream.fd = known[i].fd;
			made->stream.path = NULL;
			made->stream.inode = 0;
		}
	made->context.stream = &made->stream;
}

/* Those before the format's, and those of the format. */
static bool fill_kinds(struct context *made, const struct heph_site *site)
{
	static const uint8_t before[HEPH_SITE_SYSLOG] = {BINLOG_ARG_I32,
		BINLOG_ARG_I32, BINLOG_ARG_I32, BINLOG_ARG_STRING};
	bool has_errno;
	size_t used = 0;
	int count;

	if (site->text == BINLOG_TEXT_BYTES) {
		made->context.kinds = text_kinds;
		made->context.arguments = 1;
		return true;
	}
	made->context.kinds = made->kinds;
	if (site->text == BINLOG_TEXT_SYSLOG) {
		memcpy(made->kinds, before, sizeof(before));
		used = sizeof(before);
	}
	count = format_arguments(site->format.bytes, site->format.size,
		made->kinds + used, &has_errno);
	made->context.arguments = used + (count < 0 ? 0 : (size_t)count);
	return count != FORMAT_NONE;
}

static struct definition_context *make_context(
	struct heph_sites *sites, const struct heph_site *site, uint32_t id)
{
	struct context *made = pool_take(&sites->pool, sizeof(*made));

	if (!made)
		return NULL;
	memset(made, 0, sizeof(*made));
	made->context.id = id;
	made->context.text = site->text;
	made->context.restored = true;
	made->context.usable = true;
	made->function = copy_string(sites, &site->function);
	made->context.function = &made->function;
	fill_stream(sites, made, &site->stream);
	if (site->format.size > 0) {
		made->format = copy_string(sites, &site->format);
		made->context.format = &made->format;
		made->context.has_format = true;
	}
	return fill_kinds(made, site) ? &made->context : NULL;
}

static void put_key(struct render_buffer *key, const struct heph_string *part)
{
	uint32_t size = (uint32_t)part->size;

	render_buffer_put(key, &size, sizeof(size));
	render_buffer_put(key, part->bytes, part->size);
}

struct definition_context *heph_site_context(
	struct heph_sites *sites, const struct heph_site *site)
{
	struct render_buffer *key = &sites->key;
	struct definition_context *context;
	struct pack_entry *entry;

	key->length = 0;
	render_buffer_put(key, &site->text, sizeof(site->text));
	put_key(key, &site->format);
	put_key(key, &site->function);
	put_key(key, &site->stream);
	if (key->failed)
		return NULL;
	entry = pack_table_find(&sites->known, key->data, key->length);
	if (entry)
		return id_map_find(&sites->contexts, entry->id);
	if (limits_reached(LIMIT_HEPH_PLACES, sites->known.count) ||
		limits_exceeded(LIMIT_HEPH_PLACE_BYTES,
			sites->known.bytes + sites->pool.bytes))
		return NULL;
	entry = pack_table_intern(&sites->known, key->data, key->length);
	if (!entry)
		return NULL;
	context = make_context(sites, site, entry->id);
	return context && id_map_set(&sites->contexts, entry->id, context)
		       ? context
		       : NULL;
}

#include "decoder/fleet/native_block.h"

#include <string.h>

void native_block_begin(struct native_block *block, enum fleet_table table)
{
	*block = (struct native_block){.table = table};
	block->layout = fleet_columns(table, &block->count);
}

/* The row is whole when its last column is. */
static struct native_column *step(struct native_block *block)
{
	struct native_column *column = &block->columns[block->next++];

	if (block->next == block->count) {
		block->next = 0;
		block->rows++;
	}
	return column;
}

static void put_size(struct render_buffer *out, uint64_t size)
{
	for (; size > 127; size >>= 7)
		render_buffer_put_byte(out, (char)(size | 128));
	render_buffer_put_byte(out, (char)size);
}

static void put_text(struct render_buffer *out, const char *text, size_t bytes)
{
	put_size(out, bytes);
	render_buffer_put(out, text, bytes);
}

/* The lowest bytes of a number are its first. */
static size_t width_of(enum fleet_type type)
{
	return type == FLEET_U8 ? 1 : type == FLEET_U32 ? 4 : 8;
}

void native_block_put(struct native_block *block, uint64_t value)
{
	const enum fleet_type type = block->layout[block->next].type;

	render_buffer_put(&step(block)->data, &value, width_of(type));
}

void native_block_put_text(
	struct native_block *block, const char *text, size_t bytes)
{
	put_text(&step(block)->data, text, bytes);
}

void native_block_put_word(struct native_block *block, const char *word)
{
	native_block_put_text(block, word ? word : "", word ? strlen(word) : 0);
}

static struct render_buffer *item(struct native_block *block, size_t ahead)
{
	struct native_column *column = &block->columns[block->next + ahead];

	column->items++;
	return &column->data;
}

void native_block_add_text(struct native_block *block, size_t ahead,
	const char *text, size_t bytes)
{
	put_text(item(block, ahead), text, bytes);
}

void native_block_add_integer(
	struct native_block *block, size_t ahead, int64_t value)
{
	render_buffer_put(item(block, ahead), &value, sizeof(value));
}

void native_block_add_number(
	struct native_block *block, size_t ahead, double value)
{
	render_buffer_put(item(block, ahead), &value, sizeof(value));
}

void native_block_end_array(struct native_block *block)
{
	struct native_column *column = step(block);

	render_buffer_put(&column->ends, &column->items, sizeof(column->items));
}

void native_block_mark(struct native_block *block)
{
	size_t i;

	for (i = 0; i < block->count; i++)
		block->mark[i] = (struct native_place){
			.data = block->columns[i].data.length,
			.ends = block->columns[i].ends.length,
			.items = block->columns[i].items,
		};
}

void native_block_back(struct native_block *block)
{
	size_t i;

	for (i = 0; i < block->count; i++) {
		block->columns[i].data.length = block->mark[i].data;
		block->columns[i].ends.length = block->mark[i].ends;
		block->columns[i].items = block->mark[i].items;
	}
	block->next = 0;
}

size_t native_block_bytes(const struct native_block *block)
{
	size_t bytes = 0;
	size_t i;

	for (i = 0; i < block->count; i++)
		bytes += block->columns[i].data.length +
			 block->columns[i].ends.length;
	return bytes;
}

bool native_block_lacks(const struct native_block *block)
{
	bool lacks = false;
	size_t i;

	for (i = 0; i < block->count; i++)
		lacks |= block->columns[i].data.failed ||
			 block->columns[i].ends.failed;
	return lacks;
}

void native_block_take(struct native_block *block, struct render_buffer *out)
{
	size_t i;

	put_size(out, block->count);
	put_size(out, block->rows);
	for (i = 0; i < block->count; i++) {
		struct native_column *column = &block->columns[i];
		const struct fleet_column *layout = &block->layout[i];
		const char *type = fleet_type_name(layout->type);

		put_text(out, layout->name, strlen(layout->name));
		put_text(out, type, strlen(type));
		render_buffer_put(out, column->ends.data, column->ends.length);
		render_buffer_put(out, column->data.data, column->data.length);
		column->data.length = column->ends.length = 0;
		column->items = 0;
	}
	block->rows = 0;
}

void native_block_free(struct native_block *block)
{
	size_t i;

	for (i = 0; i < block->count; i++) {
		render_buffer_free(&block->columns[i].data);
		render_buffer_free(&block->columns[i].ends);
	}
}

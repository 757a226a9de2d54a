#include "shim/unwind/cfi.h"

#include "shim/host/objects.h"

#if defined(__x86_64__)
#include "shim/unwind/cfi_x86_64.h"
#else
#include "shim/unwind/cfi_aarch64.h"
#endif

static struct cfi_bytes bytes_at(
	const struct cfi_module *module, uintptr_t address)
{
	struct cfi_bytes bytes = {
		.at = (const unsigned char *)address,
		.end = (const unsigned char *)module->high,
	};

	if (address < module->low || address > module->high) {
		bytes.at = bytes.end;
		bytes.bad = true;
	}
	return bytes;
}

/* The body of the CIE or FDE at an address, after its length. */
static struct cfi_bytes entry_at(
	const struct cfi_module *module, uintptr_t address)
{
	struct cfi_bytes bytes = bytes_at(module, address);
	uint64_t length = cfi_bytes_take(&bytes, 4);

	if (length == 0 || length == UINT32_MAX)
		cfi_bytes_fail(&bytes);
	return cfi_bytes_part(&bytes, length);
}

/* The letters after 'z' of a CIE's augmentation, and what they announce. */
static void parse_augmentation(struct cfi_bytes letters,
	struct cfi_bytes *entry, struct cfi_common *common)
{
	struct cfi_bytes data = cfi_bytes_part(entry, cfi_bytes_uleb(entry));
	uint8_t letter;

	while ((letter = (uint8_t)cfi_bytes_take(&letters, 1)) != '\0') {
		switch (letter) {
		case 'R':
			common->encoding = (uint8_t)cfi_bytes_take(&data, 1);
			break;
		case 'L':
			cfi_bytes_take(&data, 1);
			break;
		case 'P':
			cfi_bytes_number(
				&data, (uint8_t)cfi_bytes_take(&data, 1));
			break;
		case 'S':
			common->signal = true;
			break;
#if defined(__aarch64__)
		case 'B': /* return addresses are signed by the other key */
		case 'G': /* frames are tagged */
			break;
#endif
		default:
			cfi_bytes_fail(entry);
		}
	}
	if (data.bad)
		cfi_bytes_fail(entry);
}

static bool parse_common(struct cfi_bytes entry, struct cfi_common *common)
{
	struct cfi_bytes letters;
	uint8_t version;

	*common = (struct cfi_common){0};
	if (cfi_bytes_take(&entry, 4) != 0)
		return false;
	version = (uint8_t)cfi_bytes_take(&entry, 1);
	if (version != 1 && version != 3)
		return false;
	letters = entry;
	while (cfi_bytes_take(&entry, 1) != 0)
		;
	common->code_factor = cfi_bytes_uleb(&entry);
	common->data_factor = cfi_bytes_sleb(&entry);
	if (cfi_bytes_uleb(&entry) != CFI_REGISTER_RA)
		return false;
	switch (cfi_bytes_take(&letters, 1)) {
	case 'z':
		common->augmented = true;
		parse_augmentation(letters, &entry, common);
		break;
	case '\0':
		break;
	default:
		return false;
	}
	common->program = entry;
	return !entry.bad;
}

/* The rule from the FDE at an address. */
static struct cfi_rule rule_at(
	const struct cfi_module *module, uintptr_t address, uintptr_t pc)
{
	struct cfi_rule rule = {.cfa = CFI_UNSUPPORTED};
	struct cfi_bytes entry = entry_at(module, address);
	uintptr_t link = (uintptr_t)entry.at;
	uintptr_t back = cfi_bytes_take(&entry, 4);
	struct cfi_common common;
	struct cfi_row row;
	uintptr_t start, size;

	if (entry.bad || !parse_common(entry_at(module, link - back), &common))
		return rule;
	start = cfi_bytes_pointer(&entry, common.encoding, 0);
	size = cfi_bytes_number(&entry, common.encoding);
	if (common.augmented)
		cfi_bytes_skip(&entry, cfi_bytes_uleb(&entry));
	if (entry.bad)
		return rule;
	if (pc - start >= size)
		return cfi_machine_untold(pc);
	if (!cfi_program_run(&common, entry, start, pc, &row))
		return rule;
	return cfi_machine_rule(&row, common.signal, pc);
}

/* The sorted table of an .eh_frame_hdr. */
struct table {
	const unsigned char *first;
	const unsigned char *end;
	uint64_t entries;
	uintptr_t data; /* base of data-relative pointers */
	uint8_t encoding;
	uint8_t width; /* of one of the two numbers of an entry */
};

static bool open_table(const struct cfi_module *module, struct table *table)
{
	uintptr_t address = (uintptr_t)module->header;
	struct cfi_bytes bytes = bytes_at(module, address);
	uint8_t version = (uint8_t)cfi_bytes_take(&bytes, 1);
	uint8_t frame_encoding = (uint8_t)cfi_bytes_take(&bytes, 1);
	uint8_t count_encoding = (uint8_t)cfi_bytes_take(&bytes, 1);

	table->encoding = (uint8_t)cfi_bytes_take(&bytes, 1);
	if (version != 1 || count_encoding == CFI_ENCODING_OMIT ||
		table->encoding == CFI_ENCODING_OMIT)
		return false;
	if (frame_encoding != CFI_ENCODING_OMIT)
		cfi_bytes_number(&bytes, frame_encoding);
	table->entries = cfi_bytes_pointer(&bytes, count_encoding, address);
	table->data = address;
	table->first = bytes.at;
	table->end = bytes.end;
	/* How wide a number is shows by reading one: a LEB128 has no width. */
	cfi_bytes_number(&bytes, table->encoding);
	table->width = (uint8_t)(bytes.at - table->first);
	if (bytes.bad || (table->encoding & CFI_ENCODING_FORMAT) == 0x01 ||
		(table->encoding & CFI_ENCODING_FORMAT) == 0x09)
		return false;
	return table->entries <= (uint64_t)(table->end - table->first) /
					 ((uint64_t)2 * table->width);
}

/* One of the two numbers of an entry: where it begins, where its FDE is. */
static uintptr_t table_pointer(
	const struct table *table, uint64_t entry, unsigned which)
{
	struct cfi_bytes bytes = {
		.at = table->first + (2 * entry + which) * table->width,
		.end = table->end,
	};

	return cfi_bytes_pointer(&bytes, table->encoding, table->data);
}

/*
 * Where the last FDE is that begins at or before `pc`, or 0 when there is
 * none; false when there is no way to tell.  Not inline: its stack is free
 * again when the FDE is read.
 */
static __attribute__((noinline)) bool find_entry(
	const struct cfi_module *module, uintptr_t pc, uintptr_t *address)
{
	struct table table;
	uint64_t low = 0, high;

	*address = 0;
	if (!open_table(module, &table))
		return false;
	if (table.entries == 0 || pc < table_pointer(&table, 0, 0))
		return true;
	for (high = table.entries; high - low > 1;) {
		uint64_t middle = low + (high - low) / 2;

		if (table_pointer(&table, middle, 0) <= pc)
			low = middle;
		else
			high = middle;
	}
	*address = table_pointer(&table, low, 1);
	return true;
}

struct cfi_rule cfi_search(const struct cfi_module *module, uintptr_t pc)
{
	uintptr_t address;

	if (!find_entry(module, pc, &address))
		return (struct cfi_rule){.cfa = CFI_UNSUPPORTED};
	return address ? rule_at(module, address, pc) : cfi_machine_untold(pc);
}

struct cfi_rule cfi_find(uintptr_t pc)
{
	struct object object;
	struct cfi_module module;

	if (!objects_find(pc, &object) || !object.eh_frame)
		return cfi_machine_untold(pc);
	module.header = object.eh_frame;
	module.low = object.start;
	module.high = object.end;
	return cfi_search(&module, pc);
}

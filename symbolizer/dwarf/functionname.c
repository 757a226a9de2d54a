#include "symbolizer/dwarf/functionname.h"

#include <libiberty/demangle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An entry may refer to another one which does likewise, or to itself. */
#define REFERENCES_MAX 16

static const struct functionname *stored(
	const struct functionname_table *table, const void *at)
{
	return id_map_find(&table->known, (uintptr_t)at);
}

/* Without memory it is looked for again. */
static const struct functionname *store(struct functionname_table *table,
	const void *at, struct functionname name)
{
	struct functionname *kept = pool_take(&table->pool, sizeof(*kept));

	if (!kept)
		return NULL;
	*kept = name;
	id_map_set(&table->known, (uintptr_t)at, kept);
	return kept;
}

static const char *linkage_name(const struct dwarf_entry *entry)
{
	const char *name = dwarf_entry_string(entry, DW_AT_linkage_name);

	return name ? name : dwarf_entry_string(entry, DW_AT_MIPS_linkage_name);
}

/* What `entry` says itself, and what those say that it leads to. */
static struct functionname collect(struct functionname_table *table,
	const struct dwarf_entry *entry, unsigned steps)
{
	const struct functionname *known = stored(table, entry->at);
	struct functionname name;
	struct functionname more = {0};
	struct dwarf_entry origin;
	bool instance;

	if (known)
		return *known;
	instance = dwarf_entry_follow(entry, DW_AT_abstract_origin, &origin);
	if (steps < REFERENCES_MAX &&
		(instance || dwarf_entry_follow(
				     entry, DW_AT_specification, &origin)))
		more = collect(table, &origin, steps + 1);
	name.text = linkage_name(entry);
	name.linkage = name.text || more.linkage;
	if (!name.linkage)
		name.text = dwarf_entry_string(entry, DW_AT_name);
	if (!name.text)
		name.text = more.text;
	/* the origin of an instance has all parameters */
	name.wrapper =
		more.wrapper ||
		(!instance && functionparameters_any(&table->types, entry));
	store(table, entry->at, name);
	return name;
}

struct functionname functionname_of(
	struct functionname_table *table, const struct dwarf_entry *entry)
{
	struct dwarf_entry origin;

	/* there are as many of these as calls, which say nothing themselves */
	if (entry->tag == DW_TAG_inlined_subroutine &&
		dwarf_entry_follow(entry, DW_AT_abstract_origin, &origin))
		return collect(table, &origin, 0);
	return collect(table, entry, 0);
}

/*
 * A symbol may have marks before the mangled name and a version after it;
 * both stay as they are.
 */
static char *demangle(const char *name)
{
	size_t marks = strspn(name, ".$");
	const char *version = strchr(name + marks, '@');
	char *mangled;
	char *plain;
	char *whole;
	int written;

	if (!version)
		version = name + strlen(name);
	mangled = strndup(name + marks, (size_t)(version - name) - marks);
	if (!mangled)
		return NULL;
	plain = cplus_demangle(mangled, DMGL_PARAMS | DMGL_ANSI);
	free(mangled);
	if (!plain)
		return NULL;
	if (marks == 0 && !*version)
		return plain;
	written =
		asprintf(&whole, "%.*s%s%s", (int)marks, name, plain, version);
	free(plain);
	return written < 0 ? NULL : whole;
}

const char *functionname_demangled(
	struct functionname_table *table, const char *name)
{
	const struct functionname *known = stored(table, name);
	char *plain;

	if (!known) {
		plain = demangle(name);
		known = store(table, name,
			(struct functionname){
				.text = plain ? pool_copy(&table->pool, plain,
							strlen(plain))
					      : NULL});
		free(plain);
	}
	return known && known->text ? known->text : name;
}

void functionname_free(struct functionname_table *table)
{
	id_map_free(&table->known);
	pool_free(&table->pool);
	functionparameters_free(&table->types);
}

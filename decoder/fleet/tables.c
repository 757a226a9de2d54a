#include "decoder/fleet/tables.h"

#define PLAIN false
#define REPLACED true
const struct fleet_layout fleet_tables[FLEET_TABLES] = {
#define TABLE(name, engine, key, what) {#name, key, engine, what},
#define COLUMN(table, name, type, what)
#include "decoder/fleet/tables.def"
#undef TABLE
#undef COLUMN
};

static const struct fleet_column columns[] = {
#define TABLE(name, engine, key, what)
#define COLUMN(table, name, type, what)                                        \
	{#name, FLEET_##type, what, FLEET_##table},
#include "decoder/fleet/tables.def"
#undef TABLE
#undef COLUMN
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

const struct fleet_column *fleet_columns(enum fleet_table table, size_t *count)
{
	size_t first = 0, end;

	while (columns[first].table != table)
		first++;
	end = first;
	while (end < COLUMNS && columns[end].table == table)
		end++;
	*count = end - first;
	return columns + first;
}

const char *fleet_type_name(enum fleet_type type)
{
	static const char *const names[] = {
		[FLEET_U8] = "UInt8",
		[FLEET_U32] = "UInt32",
		[FLEET_U64] = "UInt64",
		[FLEET_TEXT] = "String",
		[FLEET_TEXTS] = "Array(String)",
		[FLEET_INTEGERS] = "Array(Int64)",
		[FLEET_NUMBERS] = "Array(Float64)",
	};

	return names[type];
}

static void put_columns(
	enum fleet_table table, bool typed, struct render_buffer *out)
{
	size_t count, i;
	const struct fleet_column *all = fleet_columns(table, &count);

	for (i = 0; i < count; i++) {
		render_buffer_put_string(out, i > 0 ? ", `" : "`");
		render_buffer_put_string(out, all[i].name);
		render_buffer_put_byte(out, '`');
		if (!typed)
			continue;
		render_buffer_put_byte(out, ' ');
		render_buffer_put_string(out, fleet_type_name(all[i].type));
	}
}

void fleet_table_columns(enum fleet_table table, struct render_buffer *out)
{
	put_columns(table, false, out);
}

static void put_table(const char *before, enum fleet_table table,
	const char *database, struct render_buffer *out)
{
	render_buffer_put_string(out, "CREATE TABLE IF NOT EXISTS ");
	render_buffer_put_string(out, database);
	render_buffer_put_byte(out, '.');
	render_buffer_put_string(out, before);
	render_buffer_put_string(out, fleet_tables[table].name);
}

/*
 * A table is by the day on which its rows arrived: one insertion is in one day
 * then, and so it is there as a whole or not at all, and what is older than
 * some days can be dropped at once.  What was said at a time cannot have
 * arrived before.
 */
static void put_engine(enum fleet_table table, const char *database,
	bool replicated, struct render_buffer *out)
{
	const bool replaced = fleet_tables[table].replaced;

	render_buffer_put_string(out, replicated ? "Replicated" : "");
	render_buffer_put_string(
		out, replaced ? "ReplacingMergeTree" : "MergeTree");
	if (replicated) {
		render_buffer_put_string(out, "('/clickhouse/tables/{shard}/");
		render_buffer_put_string(out, database);
		render_buffer_put_byte(out, '/');
		render_buffer_put_string(out, fleet_tables[table].name);
		render_buffer_put_string(out, "', '{replica}')");
	}
	render_buffer_put_string(out, replaced ? "" : " PARTITION BY received");
}

void fleet_table_create(enum fleet_table table, const char *database,
	bool replicated, struct render_buffer *out)
{
	put_table("", table, database, out);
	render_buffer_put_string(out, " (");
	put_columns(table, true, out);
	render_buffer_put_string(out, ", received Date DEFAULT today()");
	if (table == FLEET_messages)
		render_buffer_put_string(out,
			", moment DateTime ALIAS "
			"toDateTime(intDiv(time, 1000000000))");
	render_buffer_put_string(out, ") ENGINE = ");
	put_engine(table, database, replicated, out);
	render_buffer_put_string(out, " ORDER BY (");
	render_buffer_put_string(out, fleet_tables[table].key);
	render_buffer_put_byte(out, ')');
}

void fleet_table_distribute(enum fleet_table table, const char *database,
	const char *cluster, struct render_buffer *out)
{
	put_table("all_", table, database, out);
	render_buffer_put_string(out, " AS ");
	render_buffer_put_string(out, database);
	render_buffer_put_byte(out, '.');
	render_buffer_put_string(out, fleet_tables[table].name);
	render_buffer_put_string(out, " ENGINE = Distributed(");
	render_buffer_put_string(out, cluster);
	render_buffer_put_string(out, ", ");
	render_buffer_put_string(out, database);
	render_buffer_put_string(out, ", ");
	render_buffer_put_string(out, fleet_tables[table].name);
	render_buffer_put_byte(out, ')');
}

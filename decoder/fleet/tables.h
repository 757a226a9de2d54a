/*
 * The tables that messages of many hosts are in, on a server of ClickHouse, as
 * tables.def lists them.  Asked by who creates and fills them (rows.c,
 * tools/ship) and by who asks questions of them (tools/query).
 */
#ifndef DECODER_FLEET_TABLES_H
#define DECODER_FLEET_TABLES_H

#include <stddef.h>

#include "base/render_buffer.h"

enum fleet_type {
	FLEET_U8,
	FLEET_U32,
	FLEET_U64,
	FLEET_TEXT,
	FLEET_TEXTS,
	FLEET_INTEGERS,
	FLEET_NUMBERS,
};

enum fleet_table {
#define TABLE(name, engine, key, what) FLEET_##name,
#define COLUMN(table, name, type, what)
#include "decoder/fleet/tables.def"
#undef TABLE
#undef COLUMN
	FLEET_TABLES
};

#define FLEET_COLUMNS_MAX 24u

struct fleet_column {
	const char *name;
	enum fleet_type type;
	const char *what;
	enum fleet_table table;
};

/* By enum fleet_table. */
extern const struct fleet_layout {
	const char *name;
	const char *key;
	bool replaced; /* rows with the same key are one */
	const char *what;
} fleet_tables[FLEET_TABLES];

/* Those of a table, in the order in which they are sent. */
const struct fleet_column *fleet_columns(enum fleet_table table, size_t *count);

/* As the server calls it. */
const char *fleet_type_name(enum fleet_type type);

/*
 * Appends the statement that creates a table in a database unless it is there.
 * The name of the database is one word.  Replicated is one that the server's
 * keeper knows by the macros {shard} and {replica}, which the server's
 * configuration has to define.
 */
void fleet_table_create(enum fleet_table table, const char *database,
	bool replicated, struct render_buffer *out);

/*
 * Likewise the table `all_NAME`, which is those of all servers of a cluster
 * that their configuration names.
 */
void fleet_table_distribute(enum fleet_table table, const char *database,
	const char *cluster, struct render_buffer *out);

/* Appends names of all columns that are sent, with commas between. */
void fleet_table_columns(enum fleet_table table, struct render_buffer *out);

#endif

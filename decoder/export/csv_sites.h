/*
 * Comma-separated values in a directory: a table for each place that calls,
 * with a column for each argument, and a table of the tables.  The style csv
 * gives it all calls; promises to hold boundedly many rows.
 */
#ifndef DECODER_CSV_SITES_H
#define DECODER_CSV_SITES_H

#include "decoder/output/style.h"

struct csv_sites;

/* Null: out of memory. */
struct csv_sites *csv_sites_new(const struct style_settings *settings);

/* No event. */
void csv_sites_message(struct csv_sites *sites, const struct message *message);

/* Writes what is left, and frees all. */
void csv_sites_end(struct csv_sites *sites);

#endif

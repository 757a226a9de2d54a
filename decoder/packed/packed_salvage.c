#include "decoder/packed/packed_salvage.h"

#include <string.h>

#include "decoder/packed/column_salvage.h"
#include "record/layout.h"

/* Columns that all messages have, in their order. */
enum common { SITE, WRITER, TICKS, WALL, CONTINUES, COMMONS };

/* What an argument of a site has been. */
struct argument {
	struct salvaged_numbers numbers;
	struct salvaged_strings strings;
	bool is_string;
};

struct work {
	struct packed_body *body;
	const struct packed_pieces *pieces;
	struct salvage from;
	uint32_t count;
	struct salvaged_numbers common[COMMONS];
	uint32_t *nth;
	uint64_t *ticks; /* of each message, since some origin: not deltas */
	uint8_t *known;	 /* of each, whether its ticks are */
	uint32_t *messages;
	struct argument **arguments; /* of each site */
	size_t next_start;
	uint32_t column;
	size_t next_apart;
};

static void *take(struct work *work, size_t size)
{
	void *taken = column_store_take(&work->body->store, size);

	if (taken)
		memset(taken, 0, size);
	return taken;
}

/* Before the next column: where it begins, if that has to be told. */
static void find_column(struct work *work)
{
	const struct packed_pieces *pieces = work->pieces;
	const uint32_t column = work->column++;

	while (work->next_start < pieces->start_count &&
		pieces->starts[work->next_start].column < column)
		work->next_start++;
	if (!work->from.lost || work->next_start == pieces->start_count ||
		pieces->starts[work->next_start].column != column)
		return;
	work->from.at = pieces->starts[work->next_start].at;
	work->from.lost = false;
}

/* Which message of its site each is, as far as the sites before it are known,
 * or those behind it. */
static bool count_sites(struct work *work)
{
	const size_t rows = work->body->index->row_count;
	const struct salvaged_numbers *site = &work->common[SITE];
	uint32_t *before = take(work, rows * sizeof(*before));
	uint32_t *left = take(work, rows * sizeof(*left));
	uint32_t i, k;

	work->nth = take(work, work->count * sizeof(*work->nth));
	work->messages = take(work, rows * sizeof(*work->messages));
	if (!before || !left || !work->nth || !work->messages)
		return false;
	for (i = 0; i < rows; i++)
		work->messages[i] = left[i] =
			work->body->index->rows[i].messages;
	memset(work->nth, 0xff, work->count * sizeof(*work->nth));
	for (i = 0; i < work->count; i++) {
		const uint64_t place = site->values[i];

		if (!site->good[i] || place >= rows || left[place] == 0)
			break;
		left[place]--;
		work->nth[i] = before[place]++;
	}
	for (k = work->count; k > i; k--) {
		const uint64_t place = site->values[k - 1];

		if (!site->good[k - 1] || place >= rows || left[place] == 0)
			break;
		left[place]--;
		work->nth[k - 1] = before[place] + left[place];
	}
	return true;
}

/* From what is told at marks forwards, and backwards. */
static void count_ticks(struct work *work)
{
	const struct packed_pieces *pieces = work->pieces;
	const struct salvaged_numbers *more = &work->common[TICKS];
	size_t mark;
	uint32_t i;

	for (i = 0; i < work->count && more->good[i]; i++) {
		work->ticks[i] =
			more->values[i] + (i > 0 ? work->ticks[i - 1] : 0);
		work->known[i] = 1;
	}
	for (mark = 0; mark < pieces->tick_count; mark++) {
		const uint64_t end =
			(uint64_t)(mark + 1) * PACKED_MARK_MESSAGES;
		const uint32_t at =
			(uint32_t)(end < work->count ? end : work->count) - 1;

		work->ticks[at] = pieces->ticks[mark];
		work->known[at] = 1;
		for (i = at; i > 0 && more->good[i] && !work->known[i - 1];
			i--) {
			work->ticks[i - 1] = work->ticks[i] - more->values[i];
			work->known[i - 1] = 1;
		}
		for (i = at + 1;
			i < work->count && more->good[i] && !work->known[i];
			i++) {
			work->ticks[i] = work->ticks[i - 1] + more->values[i];
			work->known[i] = 1;
		}
	}
}

static bool read_common(struct work *work)
{
	struct salvage_groups groups;
	enum common i;

	find_column(work);
	if (!salvage_numbers(
		    &work->from, work->count, NULL, &work->common[SITE]) ||
		!count_sites(work))
		return false;
	groups = (struct salvage_groups){work->common[SITE].values, work->nth,
		work->messages, work->body->index->row_count};
	for (i = WRITER; i < COMMONS; i++) {
		find_column(work);
		if (!salvage_numbers(&work->from, work->count, &groups,
			    &work->common[i]))
			return false;
	}
	work->ticks = take(work, work->count * sizeof(*work->ticks));
	work->known = take(work, work->count);
	if (!work->ticks || !work->known)
		return false;
	count_ticks(work);
	return true;
}

/* Whether the argument, of which this is the kind, is behind all columns. */
static bool is_together(struct work *work, uint8_t kind)
{
	const struct packed_pieces *pieces = work->pieces;
	const uint32_t column = work->column - COMMONS;

	if (!pieces->texts || kind != BINLOG_ARG_STRING)
		return false;
	while (work->next_apart < pieces->apart_count &&
		pieces->apart[work->next_apart] < column)
		work->next_apart++;
	return work->next_apart == pieces->apart_count ||
	       pieces->apart[work->next_apart] != column;
}

static bool read_argument(struct work *work, struct argument *argument,
	uint8_t kind, uint32_t messages)
{
	switch (kind) {
	case BINLOG_ARG_STRING:
	case BINLOG_ARG_WIDE:
		argument->is_string = true;
		return salvage_strings(
			&work->from, messages, &argument->strings);
	case BINLOG_ARG_LONG_DOUBLE:
		argument->is_string = true;
		return salvage_long_doubles(
			&work->from, messages, &argument->strings);
	default:
		return salvage_numbers(
			&work->from, messages, NULL, &argument->numbers);
	}
}

struct text {
	uint32_t row;
	uint32_t argument;
};

static bool read_arguments(
	struct work *work, struct text *texts, size_t *text_count)
{
	const struct packed_index *index = work->body->index;
	size_t i, a;

	for (i = 0; i < index->row_count; i++) {
		const struct packed_row *row = &index->rows[i];

		work->arguments[i] = take(
			work, row->arguments * sizeof(**work->arguments) + 1);
		if (!work->arguments[i])
			return false;
		for (a = 0; row->messages > 0 && a < row->arguments; a++) {
			struct argument *argument = &work->arguments[i][a];
			const bool together = is_together(work, row->kinds[a]);

			find_column(work);
			if (!together) {
				if (!read_argument(work, argument,
					    row->kinds[a], row->messages))
					return false;
				continue;
			}
			argument->is_string = true;
			texts[(*text_count)++] =
				(struct text){(uint32_t)i, (uint32_t)a};
			if (work->from.lost)
				continue;
			if (work->from.at < work->from.end &&
				work->from.whole[work->from.at] &&
				work->from.bytes[work->from.at] ==
					PACKED_STRINGS_TOGETHER)
				work->from.at++;
			else
				work->from.lost = true;
		}
	}
	return true;
}

/* Of which column each text is. */
struct turns {
	const struct work *work;
	const uint32_t *first; /* of each site: its first column, */
	uint32_t message;      /* which is looked at, */
	uint32_t next;	       /* and its */
	uint32_t end;
};

static size_t next_text(void *closure)
{
	struct turns *turns = closure;

	while (turns->next == turns->end) {
		const uint32_t at = turns->message++;
		uint64_t site;

		if (at >= turns->work->count ||
			turns->work->nth[at] == SALVAGE_UNKNOWN)
			return SIZE_MAX;
		site = turns->work->common[SITE].values[at];
		turns->next = turns->first[site];
		turns->end = turns->first[site + 1];
	}
	return turns->next++;
}

static bool read_texts(struct work *work, const struct text *all, size_t count)
{
	const struct packed_index *index = work->body->index;
	uint32_t *counts = take(work, (count + 1) * sizeof(*counts));
	uint32_t *first = take(work, (index->row_count + 1) * sizeof(*first));
	struct salvage_texts texts = {.column_count = count, .counts = counts};
	struct turns turns = {.work = work, .first = first};
	size_t i, row;

	texts.columns = take(work, (count + 1) * sizeof(*texts.columns));
	if (!counts || !first || !texts.columns)
		return false;
	for (i = 0, row = 0; row <= index->row_count; row++) {
		first[row] = (uint32_t)i;
		for (; i < count && all[i].row == row; i++) {
			counts[i] = index->rows[row].messages;
			texts.count += counts[i];
		}
	}
	find_column(work);
	if (!salvage_texts(&work->from, &texts, next_text, &turns))
		return false;
	for (i = 0; i < count; i++)
		work->arguments[all[i].row][all[i].argument].strings =
			texts.columns[i];
	return true;
}

static bool read_all(struct work *work)
{
	const struct packed_index *index = work->body->index;
	size_t columns = 0;
	size_t text_count = 0;
	struct text *texts;
	size_t i;

	work->arguments =
		take(work, (index->row_count + 1) * sizeof(struct argument *));
	for (i = 0; i < index->row_count; i++)
		columns += index->rows[i].arguments;
	texts = take(work, (columns + 1) * sizeof(*texts));
	return work->arguments && texts && read_common(work) &&
	       read_arguments(work, texts, &text_count) &&
	       (text_count == 0 || read_texts(work, texts, text_count));
}

/* Each byte that the message depends on is. */
static bool is_whole(const struct work *work, uint32_t i)
{
	const struct packed_index *index = work->body->index;
	const uint32_t nth = work->nth[i];
	uint64_t site;
	size_t a;

	if (nth == SALVAGE_UNKNOWN || !work->known[i] ||
		!work->common[WRITER].good[i] || !work->common[WALL].good[i] ||
		!work->common[CONTINUES].good[i] ||
		work->common[WRITER].values[i] >= index->writer_count)
		return false;
	site = work->common[SITE].values[i];
	for (a = 0; a < index->rows[site].arguments; a++) {
		const struct argument *argument = &work->arguments[site][a];

		if (!(argument->is_string ? argument->strings.good
					  : argument->numbers.good)[nth])
			return false;
	}
	return true;
}

/* The values of messages that are whole, one after the other. */
static void keep_values(struct work *work, uint32_t i, uint32_t *kept)
{
	const uint64_t site = work->common[SITE].values[i];
	const uint32_t from = work->nth[i];
	const uint32_t to = kept[site]++;
	size_t a;

	for (a = 0; a < work->body->index->rows[site].arguments; a++) {
		struct argument *argument = &work->arguments[site][a];

		if (argument->is_string)
			argument->strings.values[to] =
				argument->strings.values[from];
		else
			argument->numbers.values[to] =
				argument->numbers.values[from];
	}
}

static const uint64_t none;

/* Long doubles are read one after the other. */
static bool join_long_doubles(struct work *work, struct argument *argument,
	uint32_t count, struct column_strings *column)
{
	uint8_t *bytes = take(work, 16 * (size_t)count + 1);
	uint32_t i;

	if (!bytes)
		return false;
	for (i = 0; i < count; i++)
		memcpy(bytes + 16 * (size_t)i, argument->strings.values[i].data,
			16);
	column->bytes = bytes;
	return true;
}

static bool give_columns(struct work *work, const uint32_t *kept)
{
	struct packed_body *body = work->body;
	size_t i, a;

	for (i = 0; i < body->index->row_count; i++) {
		const struct packed_row *told = &body->index->rows[i];
		union packed_body_column *columns =
			take(work, told->arguments * sizeof(*columns) + 1);

		if (!columns)
			return false;
		body->rows[i].columns = columns;
		for (a = 0; told->messages > 0 && a < told->arguments; a++) {
			struct argument *argument = &work->arguments[i][a];

			if (!argument->is_string)
				columns[a].numbers = (struct column){
					.at = argument->numbers.values,
					.stride = 1};
			else if (told->kinds[a] != BINLOG_ARG_LONG_DOUBLE)
				columns[a].strings = (struct column_strings){
					.numbers = {.at = &none, .step = 1},
					.dictionary = argument->strings.values};
			else if (!join_long_doubles(work, argument, kept[i],
					 &columns[a].strings))
				return false;
		}
	}
	return true;
}

/* As differences to the last one that is whole. */
static void give_common(struct work *work, const uint8_t *lost)
{
	struct packed_body *body = work->body;
	struct column *to[] = {[SITE] = &body->site,
		[WRITER] = &body->writer,
		[TICKS] = &body->ticks,
		[WALL] = &body->wall,
		[CONTINUES] = &body->continues};
	uint64_t before = 0;
	enum common c;
	uint32_t i;

	for (i = 0; i < work->count; i++) {
		work->common[TICKS].values[i] =
			lost[i] ? 0 : work->ticks[i] - before;
		if (!lost[i])
			before = work->ticks[i];
	}
	for (c = SITE; c < COMMONS; c++)
		*to[c] = (struct column){
			.at = work->common[c].values, .stride = 1};
}

static uint64_t clamp(uint64_t time, const struct packed_index *index)
{
	return time < index->first  ? index->first
	       : time > index->last ? index->last
				    : time;
}

/* From the times of those that are there: those between are between. */
static void find_times(
	struct work *work, const uint8_t *is_lost, struct packed_lost *lost)
{
	struct packed_body *body = work->body;
	const struct packed_index *index = body->index;
	uint32_t i;

	lost->since = index->first;
	lost->until = index->last;
	body->at = 0;
	body->next_clock = 0;
	for (i = 0; i < work->count; i++) {
		uint64_t wall;

		body->at = i;
		packed_body_turn_clocks(body);
		if (is_lost[i])
			continue;
		wall = work->common[WALL].values[i] +
		       packed_body_clock_time(
			       body->clocks_of[work->common[WRITER].values[i]],
			       work->ticks[i]);
		if (i < lost->first)
			lost->since = clamp(wall, index);
		if (i > lost->last) {
			lost->until = clamp(wall, index);
			break;
		}
	}
	if (lost->until < lost->since)
		lost->until = lost->since;
	for (i = 0; i < index->writer_count; i++)
		body->clocks_of[i]->told = false;
}

static bool give(struct work *work, struct packed_lost *told)
{
	struct packed_lost lost = {.first = work->count};
	uint8_t *is_lost = take(work, work->count);
	uint32_t *kept =
		take(work, (work->body->index->row_count + 1) * sizeof(*kept));
	uint32_t i;

	if (!is_lost || !kept)
		return false;
	for (i = 0; i < work->count; i++) {
		is_lost[i] = !is_whole(work, i);
		if (!is_lost[i]) {
			keep_values(work, i, kept);
			continue;
		}
		lost.last = i;
		if (lost.count++ == 0)
			lost.first = i;
	}
	if (lost.count == work->count || !give_columns(work, kept))
		return false;
	find_times(work, is_lost, &lost);
	give_common(work, is_lost);
	packed_body_begin(work->body);
	work->body->lost = is_lost;
	*told = lost;
	return true;
}

bool packed_salvage(struct packed_body *body,
	const struct packed_pieces *pieces, struct packed_lost *lost)
{
	struct work work = {
		.body = body,
		.pieces = pieces,
		.count = body->index->count,
		.from = {.bytes = pieces->body,
			.whole = pieces->whole,
			.end = pieces->body_bytes,
			.lost = true,
			.store = &body->store},
	};

	column_store_reset(&body->store);
	return work.count > 0 && read_all(&work) && give(&work, lost);
}

bool packed_salvage_count(struct packed_pieces *pieces,
	const struct packed_record *record, struct packed_file *file,
	uint64_t offset, struct packed_lost *lost)
{
	struct error_list errors = {0};
	struct packed_captures captures = {.errors = &errors};
	struct packed_log *log = packed_log_new(0, file->path, &captures);
	struct packed_index index = {0};
	struct packed_body body = {0};
	const bool some = log &&
			  packed_pieces_read(pieces, record, file, offset) &&
			  packed_index_read(&index, log, &pieces->record,
				  &captures.inflate) &&
			  packed_body_resolve(&body, log, &index, offset) &&
			  packed_salvage(&body, pieces, lost);

	packed_body_free(&body);
	packed_index_free(&index);
	if (log)
		packed_log_free(log);
	packed_captures_free(&captures);
	if (!some)
		*lost = packed_lost_all(pieces);
	return some;
}

struct packed_lost packed_lost_all(const struct packed_pieces *pieces)
{
	return (struct packed_lost){pieces->count, 0, pieces->count - 1,
		pieces->first, pieces->last};
}

void packed_lost_report(const struct packed_lost *lost,
	const struct packed_pieces *pieces, bool part, const char *path,
	uint64_t offset, struct error_list *errors)
{
	const struct error error = {
		.code = part ? ERROR_PACKED_PART : ERROR_PACKED_ALL,
		.file = path,
		.offset = offset,
		.number = lost->count,
		.first = pieces->number + lost->first + 1,
		.last = pieces->number + lost->last + 1,
		.since = lost->since,
		.until = lost->until,
	};

	if (lost->count > 0)
		error_add(errors, &error);
}

#include "symbolizer/worker/workerquestion.h"

/* No call has more in one packet. */
#define TEXTS_MAX (WIRE_BYTES_MAX / 16)

/* A list of calls is far shorter than the code. */
#define LISTED_BYTES_PER_BYTE 16

static void put_module(
	struct wire_writer *packet, const struct symbolizer_module *module)
{
	wire_put_string(packet, module->path);
	wire_put_bytes(packet, module->build_id, module->build_id_bytes);
	wire_put_u64(packet, module->file_bytes);
	wire_put_u64(packet, module->content_hash);
}

bool workerquestion_open(struct worker *worker,
	const struct symbolizer_module *module, enum symtab_sources sources,
	struct openedlist *opened)
{
	struct wire_writer *question = worker_packet(worker);
	struct wire_reader reply;

	wire_begin(question, WIRE_MODULE);
	put_module(question, module);
	wire_put_u32(question, sources);
	return worker_send(worker, opened) &&
	       worker_receive_only(worker, WIRE_READY, &reply);
}

static void begin_question(struct wire_writer *packet, enum wire_kind kind,
	const struct workerquestion_file *file)
{
	if (file->heard->lost)
		wirenames_forget(file->heard);
	wire_begin(packet, kind);
	wire_put_u32(packet, (uint32_t)file->number);
	wire_put_u32(packet, file->heard->count);
}

/* False when the packet does not hold an answer. */
static bool take_answer(struct wire_reader *packet, uint64_t address,
	const struct workerquestion_file *file)
{
	struct answerstore_frame frames[ANSWERSTORE_FRAMES_MAX];
	size_t count = wire_take_u32(packet);
	const char *sentence = wire_take_string(packet);
	uint32_t said;
	size_t i;

	if (count == 0 || count > ANSWERSTORE_FRAMES_MAX)
		return false;
	for (i = 0; i < count; i++) {
		frames[i].function =
			wirenames_take(file->heard, packet, file->answers);
		frames[i].file =
			wirenames_take(file->heard, packet, file->answers);
		frames[i].line = wire_take_u32(packet);
		frames[i].column = wire_take_u32(packet);
		frames[i].offset = wire_take_u64(packet);
		frames[i].inlined = wire_take_u32(packet) != 0;
		frames[i].wrapper = wire_take_u32(packet) != 0;
	}
	if (packet->bad)
		return false;
	if (!file->heard->lost &&
		answerstore_intern(file->answers, sentence, &said))
		answerstore_put(file->answers, address, frames, count, said);
	return true;
}

bool workerquestion_ask(struct worker *worker,
	const struct workerquestion_file *file, const uint64_t *addresses,
	size_t count)
{
	struct wire_writer *question = worker_packet(worker);
	struct wire_reader reply;
	size_t taken = 0;
	size_t i;

	begin_question(question, WIRE_ASK, file);
	for (i = 0; i < count; i++)
		wire_put_u64(question, addresses[i]);
	if (!worker_send(worker, file->opened))
		return false;
	while (taken < count) {
		if (!worker_receive_only(worker, WIRE_ANSWERS, &reply))
			return false;
		worker_give_time(worker); /* for at least one answer */
		do
			if (!take_answer(&reply, addresses[taken], file))
				return worker_disbelieve(worker);
		while (++taken < count && reply.left > 0);
	}
	return true;
}

bool workerquestion_between(struct worker *worker,
	const struct workerquestion_file *file,
	const struct symbolizer_gap *gap, uint64_t key)
{
	struct wire_writer *question = worker_packet(worker);
	struct wire_reader reply;

	begin_question(question, WIRE_BETWEEN, file);
	wire_put_u64(question, gap->next);
	wire_put_u64(question, gap->inside);
	wire_put_string(question, gap->name);
	wire_put_u64(question, gap->argument);
	if (!worker_send(worker, file->opened) ||
		!worker_receive_only(worker, WIRE_ANSWERS, &reply))
		return false;
	if (!take_answer(&reply, key, file))
		return worker_disbelieve(worker);
	answerstore_limit(file->answers, key, worker_limits(worker));
	return true;
}

bool workerquestion_program(struct worker *worker,
	const struct symbolizer_module *module, const char **complaint)
{
	struct wire_writer *question = worker_packet(worker);
	struct wire_reader reply;
	bool there;

	wire_begin(question, WIRE_PROGRAM);
	put_module(question, module);
	if (!worker_send(worker, NULL) ||
		!worker_receive_only(worker, WIRE_PROGRAM_IS, &reply))
		return false;
	there = wire_take_u32(&reply) != 0;
	*complaint = wire_take_string(&reply);
	if (there)
		*complaint = NULL;
	else if (!*complaint)
		*complaint = "";
	return !reply.bad || worker_disbelieve(worker);
}

bool workerquestion_text(struct worker *worker, uint64_t address,
	bool is_string, const uint8_t **bytes, size_t *count)
{
	struct wire_writer *question = worker_packet(worker);
	struct wire_reader reply;
	size_t given;

	wire_begin(question, WIRE_TEXT);
	wire_put_u64(question, address);
	wire_put_u32(question, is_string);
	wire_put_u64(question, is_string ? 0 : *count);
	if (!worker_send(worker, NULL) ||
		!worker_receive_only(worker, WIRE_TEXT_IS, &reply))
		return false;
	*bytes = wire_take_bytes(&reply, &given);
	if (reply.bad)
		return worker_disbelieve(worker);
	if (!*bytes)
		return true;
	if ((*bytes)[given - 1] != '\0' || (!is_string && given - 1 != *count))
		return worker_disbelieve(worker);
	*count = given - 1;
	return true;
}

/* False when the packet does not hold a call. */
static bool take_call(struct wire_reader *packet, struct symbolizer_call *call,
	struct symbolizer_text texts[TEXTS_MAX])
{
	size_t i;

	call->address = wire_take_u64(packet);
	call->next = wire_take_u64(packet);
	call->function = wire_take_string(packet);
	call->target = wire_take_u64(packet);
	call->more = wire_take_u32(packet) != 0;
	call->texts = texts;
	call->text_count = wire_take_u32(packet);
	if (call->text_count > TEXTS_MAX)
		return false;
	for (i = 0; i < call->text_count; i++) {
		texts[i].bytes = wire_take_bytes(packet, &texts[i].count);
		texts[i].wide = wire_take_u32(packet) != 0;
		texts[i].translated = wire_take_u32(packet) != 0;
	}
	return !packet->bad;
}

bool workerquestion_calls(struct worker *worker, const char *path,
	void (*take)(void *closure, const struct symbolizer_call *call),
	void *closure, const char **why)
{
	struct symbolizer_text texts[TEXTS_MAX];
	struct symbolizer_call call;
	struct wire_reader reply;
	uint64_t listed = 0;
	uint32_t kind;

	wire_begin(worker_packet(worker), WIRE_LIST);
	wire_put_string(worker_packet(worker), path);
	if (!worker_send(worker, NULL))
		return false;
	while ((kind = worker_receive(worker, &reply)) == WIRE_CALLS) {
		listed += reply.left;
		if (listed / LISTED_BYTES_PER_BYTE >
			worker_handed_bytes(worker))
			return worker_disbelieve(worker);
		while (reply.left > 0) {
			if (!take_call(&reply, &call, texts))
				return worker_disbelieve(worker);
			take(closure, &call);
		}
	}
	if (kind != WIRE_LISTED)
		return kind != 0 && worker_disbelieve(worker);
	*why = wire_take_string(&reply);
	return true;
}

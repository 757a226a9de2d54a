/*
 * Where fast_x86_64.S finds things, for offsets.h, which is made from what the
 * compiler makes of this.  Nothing of it is linked.
 */
#include <syslog.h>

#include "shim/stdio/fast_code.h"
#include "shim/streams/drops.h"
#include "shim/writer/writer.h"

/* As data, which every assembler takes. */
#define NUMBER(name, value)                                                    \
	__asm__(".ascii \"@define " #name " %c0\"" : : "i"(value))
#define WRITER(field) NUMBER(W_##field, offsetof(struct writer, field))
#define MEMO(field) NUMBER(M_##field, offsetof(struct memo, field))
#define ARGUMENT(field) NUMBER(A_##field, offsetof(struct plan_argument, field))

void offsets(void);

void offsets(void)
{
	WRITER(state);
	WRITER(idle);
	WRITER(turns);
	WRITER(cursor);
	WRITER(limit);
	WRITER(last);
	WRITER(epoch);
	WRITER(core);
	WRITER(core_now);
	WRITER(said_key);
	WRITER(said);
	WRITER(length);
	WRITER(first);
	WRITER(open);
	WRITER(open_context);
	WRITER(other_context);
	WRITER(guesses);
	WRITER(memo);
	NUMBER(W_digits, offsetof(struct writer, measures.digits));
	NUMBER(W_hex_digits, offsetof(struct writer, measures.hex_digits));
	NUMBER(W_powers, offsetof(struct writer, measures.powers));
	NUMBER(W_exponents, offsetof(struct writer, measures.exponents));
	MEMO(pc);
	MEMO(place);
	MEMO(key);
	MEMO(file);
	MEMO(version);
	MEMO(context);
	MEMO(check);
	MEMO(record);
	MEMO(stream);
	MEMO(literal);
	MEMO(next);
	MEMO(steps);
	MEMO(check_words);
	MEMO(miss);
	MEMO(fp);
	MEMO(mix);
	MEMO(word);
	NUMBER(SWITCHES_generation,
		offsetof(struct binlog_switches, generation));
	NUMBER(SWITCHES_turn, offsetof(struct binlog_switches, turn));
	NUMBER(SWITCHES_speaker, offsetof(struct binlog_switches, speaker));
	NUMBER(SPEAKER_MANY, (int32_t)SPEAKER_MANY);
	NUMBER(SWITCHES_suppressed,
		offsetof(struct binlog_switches, suppressed));
	NUMBER(DROPS_pc, offsetof(struct drops, pc));
	NUMBER(DROPS_key, offsetof(struct drops, key));
	NUMBER(DROPS_file, offsetof(struct drops, file));
	NUMBER(DROPS_result, offsetof(struct drops, result));
	NUMBER(DROPS_BYTES, sizeof(struct drops));
	NUMBER(SWITCHES_version, offsetof(struct binlog_switches, version));
	NUMBER(M_BYTES, sizeof(struct memo));
	NUMBER(M_WORDS, MEMO_WORDS);
	ARGUMENT(least);
	ARGUMENT(constant);
	ARGUMENT(constant_id);
	ARGUMENT(constant_bytes);
	NUMBER(STEP_BYTES, sizeof(struct fast_step));
	NUMBER(STEP_argument, offsetof(struct fast_step, argument));
	NUMBER(FILE_write_base, offsetof(FILE, _IO_write_base));
	NUMBER(FILE_write_ptr, offsetof(FILE, _IO_write_ptr));
	NUMBER(FILE_write_end, offsetof(FILE, _IO_write_end));
	NUMBER(FILE_flags2, LIBIO_FLAGS2);
	NUMBER(FILE_NEEDS_LOCK, LIBIO_NEEDS_LOCK);
	NUMBER(CONTINUES, (int32_t)BINLOG_CONTINUES);
	NUMBER(SYSLOG_BITS, LOG_PRIMASK | LOG_FACMASK);
	NUMBER(SYSLOG_PRIORITIES, LOG_PRIMASK);
	NUMBER(STRING_ID, BINLOG_STRING_ID);
	NUMBER(GUESS_MULTIPLIER, (int32_t)FAST_GUESS_MULTIPLIER);
	NUMBER(GUESS_SHIFT, FAST_GUESS_SHIFT);
	NUMBER(GUESSES, WRITER_GUESSES);
}

/*
 * The frames of definitions: what pack_define.c has found is to be written.
 * Each writes what its definition refers to first, as far as that is not in
 * this part yet.
 */
#ifndef DECODER_PACK_FRAMES_H
#define DECODER_PACK_FRAMES_H

#include "decoder/pack/pack_define.h"

void pack_frames_preamble(struct pack_define *define, struct pack_entry *entry,
	struct recording *capture);
void pack_frames_process(struct pack_define *define,
	const struct pack_entry *entry, const struct recording *capture,
	const struct program *program, uint32_t parent);
void pack_frames_mapping(struct pack_define *define, uint32_t process,
	uint32_t module, const struct program_module *mapped);
void pack_frames_thread(struct pack_define *define, struct pack_entry *entry);
void pack_frames_site(struct pack_define *define, struct pack_entry *entry);

/* A hash of what the file of a module is known again by. */
uint64_t pack_frames_magic(const struct pack_entry *module);

#endif

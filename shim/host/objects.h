/*
 * The objects (programs and libraries) that the loader has mapped, found by an
 * address inside.  Asked for each program counter and each constant that is met
 * for the first time.  glibc 2.35 and later tell it without a lock
 * (_dl_find_object); before, the loader's list for debuggers is read here, as
 * safely: no lock, no allocation, nothing followed that cannot be read.  Of
 * objects in a namespace of their own (dlmopen) only the first way knows.
 * Async-signal-safe; any thread.
 */
#ifndef SHIM_OBJECTS_H
#define SHIM_OBJECTS_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* Later objects are not known where the list is read here. */
#define OBJECTS_MAX 1024u

struct object {
	uintptr_t start; /* the first segment, which begins with the file */
	uintptr_t end;
	uintptr_t bias;
	const char *path;	       /* empty for the program itself */
	const unsigned char *eh_frame; /* its .eh_frame_hdr, or null */
};

/* What _dl_find_object() fills in (<bits/dl_find_object.h> of glibc 2.35, for
 * machines whose objects have no base of data: x86-64 and aarch64). */
struct dl_object {
	unsigned long long flags;
	void *start;
	void *end;
	struct link_map *map;
	void *eh_frame;
	unsigned long long reserved[7];
};

/* libc's function, or null where it has none; host.c sets it. */
extern int (*objects_ask)(void *address, struct dl_object *found);

/* From the constructor: what is loaded by now is never unloaded. */
void objects_begin(void);

/* False: nothing that the loader has mapped is there. */
bool objects_find(uintptr_t address, struct object *object);

/*
 * Around dlclose(): meanwhile another object may come to where one has been, so
 * nothing that was read before is believed.  Without effect where libc is
 * asked.
 */
void objects_unloading(void);
void objects_unloaded(void);

/*
 * The loader's list, by way of the program's dynamic section; null: there is
 * none.  The program is the first.
 */
const struct link_map *objects_first(void);

/* A member of the list, if it is still there. */
bool objects_read(const struct link_map *map, struct link_map *copy);

#endif

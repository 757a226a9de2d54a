/*
 * The loader's own list and dlsym() are the oracle for what a real loader has;
 * lists and tables that glibc does not make are made here.
 */
#include "shim/host/inside.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

#include <setjmp.h>
#include <cmocka.h>

#include "shim/host/environment.h"
#include "shim/host/lookup.h"

static struct lookup lookup;

/* ---- a program of our making ---- */

static struct {
	bool header, count, self, dynamic, debug;
	struct r_debug *list;
} made;
static bool is_made;

static ElfW(Phdr) headers[2];
static ElfW(Dyn) program_dynamic[3];

static void make_headers(void)
{
	uintptr_t place = (uintptr_t)headers;

	memset(headers, 0, sizeof(headers));
	memset(program_dynamic, 0, sizeof(program_dynamic));
	headers[0].p_type = made.self ? PT_PHDR : PT_NULL;
	headers[1].p_type = made.dynamic ? PT_DYNAMIC : PT_NULL;
	headers[1].p_vaddr = (uintptr_t)program_dynamic - place;
	program_dynamic[0].d_tag = DT_SYMENT;
	program_dynamic[1].d_tag = made.debug ? DT_DEBUG : DT_NULL;
	program_dynamic[1].d_un.d_ptr = (uintptr_t)made.list;
}

bool environment_auxiliary(uint64_t type, uint64_t *value)
{
	if (!is_made) {
		*value = getauxval(type);
		return true;
	}
	make_headers();
	if (type == AT_PHDR)
		*value = (uintptr_t)headers;
	else if (type == AT_PHNUM)
		*value = 2;
	return type == AT_PHDR ? made.header : type == AT_PHNUM && made.count;
}

static struct r_debug list;
static struct link_map objects[LOOKUP_OBJECTS_MAX + 2];

/* We, and behind us what is the test's. */
static void make_list(unsigned behind)
{
	memset(objects, 0, sizeof(objects));
	objects[0].l_ld = _DYNAMIC;
	for (unsigned i = 0; i < behind; i++)
		objects[i].l_next = &objects[i + 1];
	list.r_map = objects;
	is_made = true;
	made.header = made.count = made.self = made.dynamic = made.debug = true;
	made.list = &list;
}

/* ---- a library of our making ---- */

/* Of one bucket and a filter that lets everything through. */
static struct {
	uint32_t buckets, first_symbol, filter_words, filter_shift;
	uint64_t filter[1];
	uint32_t bucket[1];
	uint32_t chain[4];
} table;
static char names[] = "\0xbA\0xab\0gone\0zero";
static ElfW(Sym) symbols[5];
static uint16_t versions[5];
static ElfW(Dyn) library_dynamic[6];

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

static void make_symbol(unsigned i, uint32_t name, ElfW(Half) section,
	ElfW(Addr) value, unsigned type)
{
	symbols[i].st_name = name;
	symbols[i].st_shndx = section;
	symbols[i].st_value = value;
	symbols[i].st_info = (unsigned char)ELF64_ST_INFO(STB_GLOBAL, type);
	table.chain[i - 1] = (hash_of(names + name) & ~1u) | (i == 4);
}

/* "xbA" and "xab" have one hash. */
static void make_table(void)
{
	table.buckets = table.first_symbol = table.filter_words = 1;
	table.filter_shift = 6;
	table.filter[0] = ~(uint64_t)0;
	table.bucket[0] = 1;
	memset(versions, 0, sizeof(versions));
	make_symbol(1, 1, 1, 1000, STT_FUNC);
	make_symbol(2, 5, 1, 2000, STT_OBJECT);
	make_symbol(3, 9, SHN_UNDEF, 3000, STT_FUNC);
	make_symbol(4, 14, 1, 0, STT_FUNC);
}

/* Without the entry `left_out`; some loaders leave offsets there. */
static void make_library(struct link_map *map, uintptr_t bias, long left_out)
{
	const struct {
		long tag;
		const void *table;
	} entries[] = {{DT_GNU_HASH, &table}, {DT_SYMTAB, symbols},
		{DT_STRTAB, names}, {DT_VERSYM, versions}};
	ElfW(Dyn) *to = library_dynamic;

	make_table();
	for (unsigned i = 0; i < 4; i++, to++) {
		to->d_tag =
			entries[i].tag == left_out ? DT_SYMENT : entries[i].tag;
		to->d_un.d_ptr = (uintptr_t)entries[i].table - bias;
	}
	to->d_tag = DT_NULL;
	map->l_ld = library_dynamic;
	map->l_addr = bias;
}

static void make_one_library(uintptr_t bias, long left_out)
{
	make_list(1);
	make_library(&objects[1], bias, left_out);
}

/* ---- the tests ---- */

static void real_names_are_found_as_the_loader_does(void **state)
{
	static const char *const some[] = {"printf", "fputs", "strlen",
		"memcpy", "cmocka_set_message_output", "environ", "stdout",
		"_dl_mcount", "__tls_get_addr", "no such name", ""};

	(void)state;
	is_made = false;
	assert_true(lookup_begin(&lookup));
	for (unsigned i = 0; i < sizeof(some) / sizeof(*some); i++)
		assert_ptr_equal(lookup_find(&lookup, some[i]),
			dlsym(RTLD_NEXT, some[i]));
}

static unsigned symbols_in(const struct link_map *map, const ElfW(Sym) * *from,
	const char **strings)
{
	*from = NULL;
	*strings = NULL;
	for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag; entry++) {
		if (entry->d_tag == DT_SYMTAB)
			*from = (const void *)entry->d_un.d_ptr;
		if (entry->d_tag == DT_STRTAB)
			*strings = (const void *)entry->d_un.d_ptr;
	}
	return (unsigned)(((uintptr_t)*strings - (uintptr_t)*from) /
			  sizeof(**from));
}

static void all_of_libc_is_found_as_the_loader_does(void **state)
{
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	const ElfW(Sym) * symbol;
	const char *strings;
	struct link_map *map;
	unsigned count, compared = 0;

	(void)state;
	is_made = false;
	assert_true(lookup_begin(&lookup));
	assert_int_equal(dlinfo(libc, RTLD_DI_LINKMAP, &map), 0);
	count = symbols_in(map, &symbol, &strings);
	for (unsigned i = 1; i < count; i++) {
		const char *name = strings + symbol[i].st_name;

		if (ELF64_ST_TYPE(symbol[i].st_info) == STT_TLS) {
			assert_null(lookup_find(&lookup, name));
			continue;
		}
		assert_ptr_equal(
			lookup_find(&lookup, name), dlsym(RTLD_NEXT, name));
		compared++;
	}
	assert_true(compared > 2000);
}

static void what_comes_after_a_name_can_be_forgotten(void **state)
{
	(void)state;
	is_made = false;
	assert_true(lookup_begin(&lookup));
	assert_false(lookup_end_with(&lookup, "no such name"));
	assert_non_null(lookup_find(&lookup, "printf"));
	assert_true(lookup_end_with(&lookup, "_cmocka_run_group_tests"));
	assert_null(lookup_find(&lookup, "printf"));
}

static void without_a_list_the_loader_has_to_be_asked(void **state)
{
	bool *missing[] = {&made.header, &made.count, &made.self, &made.dynamic,
		&made.debug};

	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		make_one_library(0, DT_NULL);
		assert_true(lookup_begin(&lookup));
		*missing[i] = false;
		assert_false(lookup_begin(&lookup));
	}
	make_one_library(0, DT_NULL);
	made.list = NULL;
	assert_false(lookup_begin(&lookup));
}

static void so_where_we_are_last_or_not_in_it(void **state)
{
	(void)state;
	make_list(0);
	assert_false(lookup_begin(&lookup));
	make_one_library(0, DT_NULL);
	objects[0].l_ld = program_dynamic;
	assert_false(lookup_begin(&lookup));
}

static void so_with_more_libraries_than_there_is_room_for(void **state)
{
	(void)state;
	for (unsigned more = 0; more < 2; more++) {
		make_list(LOOKUP_OBJECTS_MAX + more);
		for (unsigned i = 1; i <= LOOKUP_OBJECTS_MAX + more; i++)
			make_library(&objects[i], 0, DT_NULL);
		assert_int_equal(lookup_begin(&lookup), !more);
	}
}

static void so_with_a_library_without_a_table(void **state)
{
	static const long needed[] = {DT_GNU_HASH, DT_SYMTAB, DT_STRTAB};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		make_one_library(0, needed[i]);
		assert_false(lookup_begin(&lookup));
	}
	make_one_library(0, DT_VERSYM);
	assert_true(lookup_begin(&lookup));
	assert_ptr_equal(lookup_find(&lookup, "xab"), 2000);
}

static void names_of_one_hash_are_told_apart(void **state)
{
	(void)state;
	make_one_library(0, DT_NULL);
	assert_true(lookup_begin(&lookup));
	assert_int_equal(hash_of("xbA"), hash_of("xab"));
	assert_ptr_equal(lookup_find(&lookup, "xbA"), 1000);
	assert_ptr_equal(lookup_find(&lookup, "xab"), 2000);
}

static void only_definitions_of_today_count(void **state)
{
	(void)state;
	make_one_library(0, DT_NULL);
	assert_true(lookup_begin(&lookup));
	assert_null(lookup_find(&lookup, "gone"));
	assert_null(lookup_find(&lookup, "zero"));
	versions[2] = 0x8000 | 3;
	assert_null(lookup_find(&lookup, "xab"));
	assert_non_null(lookup_find(&lookup, "xbA"));
}

static void a_table_may_be_empty(void **state)
{
	(void)state;
	make_one_library(0, DT_NULL);
	assert_true(lookup_begin(&lookup));
	table.bucket[0] = 0;
	assert_null(lookup_find(&lookup, "xab"));
	table.bucket[0] = 1;
	table.buckets = 0;
	assert_null(lookup_find(&lookup, "xab"));
}

static void offsets_are_added_to_where_the_library_is(void **state)
{
	/* Below all that the library is made of. */
	uintptr_t bias = (uintptr_t)&table - ((uintptr_t)1 << 20);

	(void)state;
	make_one_library(bias, DT_NULL);
	assert_true(lookup_begin(&lookup));
	assert_ptr_equal(lookup_find(&lookup, "xbA"), bias + 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(real_names_are_found_as_the_loader_does),
		cmocka_unit_test(all_of_libc_is_found_as_the_loader_does),
		cmocka_unit_test(what_comes_after_a_name_can_be_forgotten),
		cmocka_unit_test(without_a_list_the_loader_has_to_be_asked),
		cmocka_unit_test(so_where_we_are_last_or_not_in_it),
		cmocka_unit_test(so_with_more_libraries_than_there_is_room_for),
		cmocka_unit_test(so_with_a_library_without_a_table),
		cmocka_unit_test(names_of_one_hash_are_told_apart),
		cmocka_unit_test(only_definitions_of_today_count),
		cmocka_unit_test(a_table_may_be_empty),
		cmocka_unit_test(offsets_are_added_to_where_the_library_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

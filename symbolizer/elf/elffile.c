#include "symbolizer/elf/elffile.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "symbolizer/files/openfile.h"

/*
 * Unpacks what ELF files hold compressed otherwise than by zlib: zstd in
 * sections, xz in MiniDebugInfo.  Called by elffile and minidebuginfo; the
 * libraries are opened when they are needed and not linked, so that nothing
 * depends on them.  Promises to write no byte beyond the room that it is given.
 */

#define XZ_OK 0
#define XZ_TOO_MUCH_MEMORY 6 /* LZMA_MEMLIMIT_ERROR */
#define XZ_TOO_SMALL 10	     /* LZMA_BUF_ERROR */

/* As the two libraries declare them; both interfaces are frozen. */
typedef size_t zstd_decompress(
	void *to, size_t to_bytes, const void *from, size_t from_bytes);
typedef unsigned zstd_is_error(size_t result);
typedef int xz_decode(uint64_t *memory, uint32_t flags, const void *allocator,
	const uint8_t *from, size_t *from_at, size_t from_bytes, uint8_t *to,
	size_t *to_at, size_t to_bytes);

static struct {
	bool prepared;
	zstd_decompress *zstd;
	zstd_is_error *zstd_is_error;
	xz_decode *xz;
} library;

void unpack_prepare(void)
{
	void *zstd;
	void *xz;

	if (library.prepared)
		return;
	library.prepared = true;
	zstd = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
	if (zstd) {
		/* POSIX: what dlsym() returns may be called */
		*(void **)&library.zstd = dlsym(zstd, "ZSTD_decompress");
		*(void **)&library.zstd_is_error = dlsym(zstd, "ZSTD_isError");
	}
	xz = dlopen("liblzma.so.5", RTLD_NOW | RTLD_LOCAL);
	if (xz)
		*(void **)&library.xz = dlsym(xz, "lzma_stream_buffer_decode");
}

const char *unpack_zstd(
	const void *from, size_t from_bytes, void *to, size_t to_bytes)
{
	size_t got;

	unpack_prepare();
	if (!library.zstd || !library.zstd_is_error)
		return "its sections are compressed with zstd, and there is no "
		       "libzstd.so.1 here";
	got = library.zstd(to, to_bytes, from, from_bytes);
	if (library.zstd_is_error(got) || got != to_bytes)
		return "its compressed section is damaged";
	return NULL;
}

/* One that is cut off ends otherwise: liblzma takes it for one without room. */
static bool is_whole(const void *xz, size_t bytes)
{
	return bytes >= 2 && memcmp((const char *)xz + bytes - 2, "YZ", 2) == 0;
}

/* The stream does not say at its beginning how long it will be. */
void *unpack_xz(const void *from, size_t from_bytes, size_t limit,
	size_t *bytes, enum readlimit *met)
{
	size_t room = from_bytes;
	int result = XZ_TOO_SMALL;
	void *to = NULL;

	unpack_prepare();
	while (library.xz && result == XZ_TOO_SMALL && room < limit) {
		uint64_t memory = readlimits_of(READLIMIT_XZ);
		size_t from_at = 0;

		room = room > limit / 4 ? limit : room * 4;
		free(to);
		to = malloc(room);
		if (!to)
			return NULL;
		*bytes = 0;
		result = library.xz(&memory, 0, NULL, from, &from_at,
			from_bytes, to, bytes, room);
	}
	if (to && result == XZ_OK)
		return to;
	free(to);
	if (result == XZ_TOO_MUCH_MEMORY)
		*met = READLIMIT_XZ;
	else if (library.xz && result == XZ_TOO_SMALL &&
		 is_whole(from, from_bytes))
		*met = READLIMIT_MINIDEBUGINFO;
	return NULL;
}

#define SMALL_FILE_BYTES 65536
#define BUILD_ID_BYTES_MAX 64

/* Exactly `bytes` at `offset`, whatever the kernel cuts it into. */
static bool read_exactly(
	const struct elffile *file, void *to, uint64_t offset, uint64_t bytes)
{
	char *p = to;

	if (offset > file->bytes || file->bytes - offset < bytes)
		return false;
	while (bytes > 0) {
		ssize_t got = pread(file->descriptor, p, bytes, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		p += got;
		offset += (uint64_t)got;
		bytes -= (uint64_t)got;
	}
	return true;
}

const char elffile_no_memory[] = "out of memory";

static bool spend(uint64_t *budget, uint64_t bytes)
{
	if (*budget < bytes)
		return false;
	*budget -= bytes;
	return true;
}

static bool spend_read(struct elffile *file, uint64_t bytes)
{
	if (spend(&file->budget, bytes))
		return true;
	elffile_note(file, READLIMIT_READ_TIMES);
	return false;
}

void *elffile_read(struct elffile *file, uint64_t offset, uint64_t bytes)
{
	char *data;

	if (offset > file->bytes || file->bytes - offset < bytes ||
		!spend_read(file, bytes))
		return NULL;
	data = malloc(bytes + 1);
	if (!data)
		return NULL;
	if (!read_exactly(file, data, offset, bytes)) {
		free(data);
		return NULL;
	}
	data[bytes] = '\0';
	return data;
}

/* Null, or why not. */
static const char *inflate_all(uint32_t type, const void *from,
	size_t from_bytes, void *to, size_t to_bytes)
{
	uLongf got = to_bytes;

	if (type == UNPACK_ZSTD)
		return unpack_zstd(from, from_bytes, to, to_bytes);
	if (uncompress(to, &got, from, from_bytes) == Z_OK && got == to_bytes)
		return NULL;
	return "its compressed section is damaged";
}

/* `packed` is SHF_COMPRESSED contents; it is freed here. */
static void *unpack(struct elffile *file, char *packed, size_t packed_bytes,
	size_t *bytes, const char **why)
{
	Elf64_Chdr head;
	char *data = NULL;

	*why = "its compressed section is damaged";
	if (packed_bytes < sizeof(head))
		goto out;
	memcpy(&head, packed, sizeof(head));
	if (head.ch_type != ELFCOMPRESS_ZLIB && head.ch_type != UNPACK_ZSTD) {
		*why = "its sections are compressed in another way than zlib "
		       "and zstd";
		goto out;
	}
	if (!spend(&file->unpack_budget, head.ch_size)) {
		elffile_note(file, file->unpack_limit);
		*why = "its sections unpack to far more than the file holds";
		goto out;
	}
	data = malloc(head.ch_size + 1);
	if (!data) {
		*why = elffile_no_memory;
		goto out;
	}
	*why = inflate_all(head.ch_type, packed + sizeof(head),
		packed_bytes - sizeof(head), data, head.ch_size);
	if (*why) {
		free(data);
		data = NULL;
		goto out;
	}
	data[head.ch_size] = '\0';
	*bytes = head.ch_size;
out:
	free(packed);
	return data;
}

void *elffile_read_section(
	struct elffile *file, size_t section, size_t *bytes, const char **why)
{
	const struct elffile_section *s = &file->sections[section];
	char *data;

	if (s->type == SHT_NOBITS) {
		*why = "the section has no bytes in this file";
		return NULL;
	}
	errno = 0;
	data = elffile_read(file, s->offset, s->bytes);
	if (!data) {
		*why = errno == ENOMEM
			       ? elffile_no_memory
			       : "a section cannot be read or is too large";
		return NULL;
	}
	if (s->flags & SHF_COMPRESSED)
		return unpack(file, data, s->bytes, bytes, why);
	*bytes = s->bytes;
	return data;
}

size_t elffile_section_named(const struct elffile *file, const char *name)
{
	size_t i;

	for (i = 0; i < file->section_count; i++)
		if (strcmp(file->sections[i].name, name) == 0)
			return i;
	return ELFFILE_NONE;
}

size_t elffile_section_at(const struct elffile *file, uint64_t address)
{
	const struct elffile_section *s = file->sections;
	size_t i;

	for (i = 0; i < file->section_count; i++, s++) {
		/* .tbss has an address but takes no room there */
		if (!(s->flags & SHF_ALLOC) ||
			(s->flags & SHF_TLS && s->type == SHT_NOBITS))
			continue;
		if (address >= s->address && address - s->address < s->bytes)
			return i;
	}
	return ELFFILE_NONE;
}

/* A section that claims bytes beyond the end of the file has none. */
static struct elffile_section bounded_section(
	const struct elffile *file, const Elf64_Shdr *head)
{
	struct elffile_section s = {
		.name = "",
		.type = head->sh_type,
		.link = head->sh_link,
		.flags = head->sh_flags,
		.address = head->sh_addr,
		.offset = head->sh_offset,
		.bytes = head->sh_size,
		.entry_bytes = head->sh_entsize,
	};

	if (s.type != SHT_NOBITS &&
		(s.offset > file->bytes || file->bytes - s.offset < s.bytes)) {
		s.type = SHT_NULL;
		s.bytes = 0;
	}
	return s;
}

static void name_sections(
	struct elffile *file, const Elf64_Shdr *heads, size_t names)
{
	const char *why;
	size_t bytes;
	size_t i;

	if (names >= file->section_count)
		return;
	file->section_names = elffile_read_section(file, names, &bytes, &why);
	if (!file->section_names)
		return;
	for (i = 0; i < file->section_count; i++)
		if (heads[i].sh_name < bytes)
			file->sections[i].name =
				file->section_names + heads[i].sh_name;
}

static bool read_sections(struct elffile *file, const Elf64_Ehdr *head)
{
	size_t count = head->e_shnum;
	size_t names = head->e_shstrndx;
	Elf64_Shdr first;
	Elf64_Shdr *heads;
	size_t i;

	if (head->e_shoff == 0)
		return true;
	if (head->e_shentsize != sizeof(first) ||
		!read_exactly(file, &first, head->e_shoff, sizeof(first)))
		return false;
	/* more sections than 16 bits can say */
	if (count == 0)
		count = first.sh_size;
	if (names == SHN_XINDEX)
		names = first.sh_link;
	if (count > (file->bytes - head->e_shoff) / sizeof(first))
		return false;
	if (count > readlimits_of(READLIMIT_SECTIONS)) {
		elffile_note(file, READLIMIT_SECTIONS);
		return false;
	}
	heads = elffile_read(file, head->e_shoff, count * sizeof(first));
	file->sections = calloc(count + 1, sizeof(*file->sections));
	if (heads && file->sections) {
		file->section_count = count;
		for (i = 0; i < count; i++)
			file->sections[i] = bounded_section(file, &heads[i]);
		name_sections(file, heads, names);
	}
	free(heads);
	return file->section_count == count;
}

/* Walks the notes in `data`; true when the build-id was among them. */
static bool take_build_id(struct elffile *file, const char *data, size_t bytes)
{
	Elf64_Nhdr note;

	while (bytes >= sizeof(note)) {
		size_t name_bytes;
		size_t id_bytes;

		memcpy(&note, data, sizeof(note));
		data += sizeof(note);
		bytes -= sizeof(note);
		name_bytes = ((size_t)note.n_namesz + 3) & ~(size_t)3;
		id_bytes = ((size_t)note.n_descsz + 3) & ~(size_t)3;
		if (bytes < name_bytes || bytes - name_bytes < note.n_descsz)
			return false;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
			memcmp(data, "GNU", 4) == 0 && note.n_descsz > 0 &&
			note.n_descsz <= BUILD_ID_BYTES_MAX) {
			file->build_id = malloc(note.n_descsz);
			if (!file->build_id)
				return false;
			memcpy(file->build_id, data + name_bytes,
				note.n_descsz);
			file->build_id_bytes = note.n_descsz;
			return true;
		}
		if (bytes - name_bytes < id_bytes)
			return false;
		data += name_bytes + id_bytes;
		bytes -= name_bytes + id_bytes;
	}
	return false;
}

static bool take_notes(struct elffile *file, uint64_t offset, uint64_t bytes)
{
	char *notes = elffile_read(file, offset, bytes);
	bool found = notes && take_build_id(file, notes, bytes);

	free(notes);
	return found;
}

/*
 * By sections first: in a separate debug file the segments still describe
 * the file that it was split from.
 */
static void read_build_id(
	struct elffile *file, const Elf64_Phdr *segments, size_t count)
{
	size_t i;

	for (i = 0; i < file->section_count; i++)
		if (file->sections[i].type == SHT_NOTE &&
			take_notes(file, file->sections[i].offset,
				file->sections[i].bytes))
			return;
	for (i = 0; i < count && file->section_count == 0; i++)
		if (segments[i].p_type == PT_NOTE &&
			take_notes(file, segments[i].p_offset,
				segments[i].p_filesz))
			return;
}

/* The first one with code, and the first ones that are only read. */
static void take_segment(struct elffile *file, const Elf64_Phdr *segment)
{
	if (segment->p_type != PT_LOAD)
		return;
	if (segment->p_flags & PF_X) {
		if (file->code_bytes > 0)
			return;
		file->code_offset = segment->p_offset;
		file->code_bytes = segment->p_filesz;
	} else if (!(segment->p_flags & PF_W) &&
		   file->constants < ELFFILE_CONSTANT) {
		file->constant[file->constants++] = (struct elffile_part){
			segment->p_offset, segment->p_filesz};
	}
}

static bool read_segments(struct elffile *file, const Elf64_Ehdr *head)
{
	Elf64_Phdr *segments;
	size_t count = head->e_phnum;
	size_t i;

	if (count == 0) {
		read_build_id(file, NULL, 0);
		return true;
	}
	if (head->e_phentsize != sizeof(*segments))
		return false;
	segments = elffile_read(file, head->e_phoff, count * sizeof(*segments));
	if (!segments)
		return false;
	for (i = 0; i < count; i++)
		take_segment(file, &segments[i]);
	read_build_id(file, segments, count);
	free(segments);
	return true;
}

static const char *read_headers(struct elffile *file)
{
	Elf64_Ehdr head;

	if (!read_exactly(file, &head, 0, sizeof(head)) ||
		memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
		return "not an ELF file";
	if (head.e_ident[EI_CLASS] != ELFCLASS64 ||
		head.e_ident[EI_DATA] != ELFDATA2LSB)
		return "not a 64-bit little-endian ELF file";
	if (read_sections(file, &head) && read_segments(file, &head))
		return NULL;
	return file->met & 1u << READLIMIT_SECTIONS
		       ? "it has too many sections"
		       : "its ELF headers are damaged";
}

/* A file with holes may claim any size for nothing. */
static void set_budgets(struct elffile *file, const struct openfile *opened)
{
	uint64_t bytes;

	file->bytes_on_disk = opened->bytes < opened->bytes_on_disk
				      ? opened->bytes
				      : opened->bytes_on_disk;
	bytes = file->bytes_on_disk + SMALL_FILE_BYTES;
	file->budget = readlimits_times(READLIMIT_READ_TIMES, bytes);
	file->unpack_budget = readlimits_times(READLIMIT_UNPACKED_TIMES, bytes);
	file->unpack_limit = READLIMIT_UNPACKED_TIMES;
	if (file->unpack_budget > readlimits_of(READLIMIT_UNPACKED)) {
		file->unpack_budget = readlimits_of(READLIMIT_UNPACKED);
		file->unpack_limit = READLIMIT_UNPACKED;
	}
}

const char *elffile_open_below(
	struct elffile *file, const char *root, const char *path)
{
	struct openfile opened;
	const char *why;

	memset(file, 0, sizeof(*file));
	why = openfile_reason(openfile_open(&opened, root, path));
	if (why)
		return why;
	file->descriptor = opened.descriptor;
	file->root = root;
	file->path = strdup(path);
	file->bytes = opened.bytes;
	set_budgets(file, &opened);
	why = read_headers(file);
	if (why)
		elffile_close(file);
	return why;
}

const char *elffile_open(struct elffile *file, const char *path)
{
	return elffile_open_below(file, NULL, path);
}

void elffile_close(struct elffile *file)
{
	close(file->descriptor);
	free(file->path);
	free(file->sections);
	free(file->section_names);
	free(file->build_id);
}

void elffile_note(struct elffile *file, enum readlimit limit)
{
	if (file->met & 1u << limit)
		return;
	file->met |= 1u << limit;
	readlimits_note(limit, file->path ? file->path : "a file");
}

char *elffile_debug_link(struct elffile *file, uint32_t *crc)
{
	size_t section = elffile_section_named(file, ".gnu_debuglink");
	const char *why;
	size_t crc_at;
	size_t bytes;
	char *link;

	if (section == ELFFILE_NONE)
		return NULL;
	link = elffile_read_section(file, section, &bytes, &why);
	if (!link)
		return NULL;
	/* the name, its NUL, padding to 4 bytes, the sum */
	crc_at = (strlen(link) + 1 + 3) & ~(size_t)3;
	if (link[0] == '\0' || bytes < crc_at ||
		bytes - crc_at < sizeof(*crc)) {
		free(link);
		return NULL;
	}
	memcpy(crc, link + crc_at, sizeof(*crc));
	return link;
}

bool elffile_crc(struct elffile *file, uint32_t *crc)
{
	unsigned char *buffer;
	uint64_t offset = 0;
	uLong sum = crc32(0, NULL, 0);

	/* a file of holes would take as long as it says that it is */
	if (!spend_read(file, file->bytes))
		return false;
	buffer = malloc(SMALL_FILE_BYTES);
	while (buffer && offset < file->bytes) {
		uint64_t bytes = file->bytes - offset;

		if (bytes > SMALL_FILE_BYTES)
			bytes = SMALL_FILE_BYTES;
		if (!read_exactly(file, buffer, offset, bytes))
			break;
		sum = crc32(sum, buffer, (uInt)bytes);
		offset += bytes;
	}
	free(buffer);
	*crc = (uint32_t)sum;
	return offset == file->bytes;
}

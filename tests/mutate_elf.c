/*
 * mutate_elf ask SEED COUNT SCRATCH FILE...: asks the symbolizer about COUNT
 * damaged copies of the files, each written to SCRATCH; says in the end how
 * many of them a signal has ended the symbolizer's worker for, and how many
 * took more than they may.  Fails when there is a signal, when a question has
 * no answer or takes for ever, and dies when the symbolizer does.
 *
 * mutate_elf write SEED SCRATCH FILE: writes one copy whose .debug_ sections
 * alone are damaged, so that nothing else tells it from FILE.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "symbolizer/symbolizer.h"

#define SECONDS 2 /* that a question may take */
#define ADDRESSES 24

struct image {
	uint8_t *data;
	size_t bytes;
};

/* Where the sections that matter are. */
struct places {
	Elf64_Shdr *sections;
	size_t count;
	size_t debug[64]; /* indexes: with debug information */
	size_t debug_count;
};

static uint64_t state;
static unsigned long crashes; /* of the worker */
static unsigned long refusals;

/* xorshift64* */
static uint64_t random_number(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 0x2545f4914f6cdd1du;
}

static size_t below(size_t limit)
{
	return limit > 0 ? random_number() % limit : 0;
}

/* Values at which programs go wrong, near to `size` too. */
static uint64_t odd_value(uint64_t size)
{
	static const uint64_t values[] = {0, 1, 2, 7, 0x7f, 0x80, 0xff, 0x7fff,
		0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
		0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff,
		0xfffffffffffffff0, (uint64_t)1 << 40, 0x40000000};
	size_t count = sizeof(values) / sizeof(values[0]);
	size_t choice = below(count + 6);

	if (choice < count)
		return values[choice];
	if (choice == count)
		return random_number();
	return size - 2 + choice - count;
}

static struct image read_image(const char *path)
{
	struct image image = {0};
	FILE *file = fopen(path, "re");
	struct stat status;

	if (!file || fstat(fileno(file), &status) != 0) {
		perror(path);
		exit(2);
	}
	image.bytes = (size_t)status.st_size;
	image.data = malloc(image.bytes + 1);
	if (!image.data ||
		fread(image.data, 1, image.bytes, file) != image.bytes) {
		perror(path);
		exit(2);
	}
	fclose(file);
	return image;
}

static void write_image(const char *path, const struct image *image)
{
	FILE *file = fopen(path, "we");

	if (!file ||
		fwrite(image->data, 1, image->bytes, file) != image->bytes ||
		fclose(file) != 0) {
		perror(path);
		exit(2);
	}
}

static bool is_interesting(const char *name)
{
	return strncmp(name, ".debug_", 7) == 0 ||
	       strncmp(name, ".gnu_debug", 10) == 0 ||
	       strcmp(name, ".symtab") == 0 || strcmp(name, ".strtab") == 0 ||
	       strcmp(name, ".dynsym") == 0 || strcmp(name, ".rela.plt") == 0;
}

/* The files are sound before they are damaged. */
static struct places find_places(const struct image *image, const char *prefix)
{
	struct places places = {0};
	const Elf64_Ehdr *head = (const void *)image->data;
	const char *names;
	size_t i;

	if (image->bytes < sizeof(*head) || head->e_shoff == 0 ||
		head->e_shoff > image->bytes ||
		(image->bytes - head->e_shoff) / sizeof(Elf64_Shdr) <
			head->e_shnum)
		return places;
	places.sections = (void *)(image->data + head->e_shoff);
	places.count = head->e_shnum;
	names = (const char *)image->data +
		places.sections[head->e_shstrndx].sh_offset;
	for (i = 1; i < places.count && places.debug_count < 64; i++) {
		const Elf64_Shdr *section = &places.sections[i];
		const char *name = names + section->sh_name;

		if (section->sh_type != SHT_NOBITS && section->sh_size > 0 &&
			(prefix ? strncmp(name, prefix, strlen(prefix)) == 0
				: is_interesting(name)))
			places.debug[places.debug_count++] = i;
	}
	return places;
}

static void put(uint8_t *to, uint64_t value, size_t bytes)
{
	memcpy(to, &value, bytes);
}

static void damage_head(struct image *image)
{
	/* each from e_type on: offset and size */
	static const uint8_t fields[][2] = {{16, 2}, {18, 2}, {32, 8}, {40, 8},
		{54, 2}, {56, 2}, {58, 2}, {60, 2}, {62, 2}};
	size_t field = below(sizeof(fields) / sizeof(fields[0]));

	put(image->data + fields[field][0], odd_value(image->bytes),
		fields[field][1]);
}

static void damage_section_head(struct image *image, struct places *places)
{
	/* sh_name, sh_type, sh_flags, sh_addr, sh_offset, sh_size, sh_link */
	static const uint8_t fields[][2] = {{0, 4}, {4, 4}, {8, 8}, {16, 8},
		{24, 8}, {32, 8}, {40, 4}, {56, 8}};
	size_t field = below(sizeof(fields) / sizeof(fields[0]));
	size_t index = below(places->count);

	if (places->count == 0)
		return;
	if (places->debug_count > 0 && below(2) == 0)
		index = places->debug[below(places->debug_count)];
	put((uint8_t *)&places->sections[index] + fields[field][0],
		odd_value(image->bytes), fields[field][1]);
}

static void damage_program_head(struct image *image)
{
	const Elf64_Ehdr *head = (const void *)image->data;
	size_t bytes = head->e_phnum * sizeof(Elf64_Phdr);

	if (head->e_phoff > image->bytes ||
		image->bytes - head->e_phoff < bytes || bytes == 0)
		return;
	put(image->data + head->e_phoff + (below(bytes) & ~(size_t)7),
		odd_value(image->bytes), 8);
}

/* In one section: a few bytes, a number, or a piece of another place. */
static void damage_contents(struct image *image, struct places *places)
{
	const Elf64_Shdr *section;
	uint8_t *data;
	size_t bytes;
	size_t count;

	if (places->debug_count == 0)
		return;
	section = &places->sections[places->debug[below(places->debug_count)]];
	data = image->data + section->sh_offset;
	bytes = section->sh_size;
	/* heads are near the beginning */
	if (below(3) == 0 && bytes > 64)
		bytes = 64;
	for (count = 1 + below(12); count > 0; count--)
		switch (below(4)) {
		case 0:
			data[below(bytes)] ^= (uint8_t)(1 << below(8));
			break;
		case 1:
			data[below(bytes)] = (uint8_t)odd_value(bytes);
			break;
		case 2:
			if (bytes >= 8)
				put(data + below(bytes - 7), odd_value(bytes),
					(size_t)1 << below(4));
			break;
		default:
			if (bytes > 32)
				memmove(data + below(bytes - 32),
					data + below(bytes - 32),
					1 + below(32));
		}
}

static void damage(struct image *image)
{
	struct places places = find_places(image, NULL);
	size_t turns = 1 + below(3);

	while (turns-- > 0)
		switch (below(16)) {
		case 0:
			damage_head(image);
			return; /* nothing is where it was */
		case 1:
			damage_program_head(image);
			break;
		case 2:
			image->bytes = below(image->bytes);
			return;
		case 3:
		case 4:
		case 5:
			damage_section_head(image, &places);
			return;
		default:
			damage_contents(image, &places);
		}
}

static void count_complaint(void *closure, const char *sentence)
{
	(void)closure;
	if (strstr(sentence, "(signal ") || strstr(sentence, "by signal ")) {
		crashes++;
		printf("%s\n", sentence);
	} else if (strstr(sentence, "reading it takes more than")) {
		refusals++;
	}
}

static void count_frame(void *closure, const struct symbolizer_frame *frame)
{
	size_t *frames = closure;

	(void)frame;
	++*frames;
}

/* Spread over what the file has been loaded to, and beside it. */
static void choose_addresses(
	const struct image *image, uint64_t addresses[ADDRESSES])
{
	const Elf64_Ehdr *head = (const void *)image->data;
	const Elf64_Phdr *segments =
		(const void *)(image->data + head->e_phoff);
	uint64_t low = 0;
	uint64_t bytes = image->bytes;
	size_t i;

	for (i = 0; i < head->e_phnum && head->e_phoff < image->bytes &&
		    (image->bytes - head->e_phoff) / sizeof(*segments) > i;
		i++)
		if (segments[i].p_type == PT_LOAD &&
			segments[i].p_flags & PF_X) {
			low = segments[i].p_vaddr;
			bytes = segments[i].p_memsz;
		}
	for (i = 0; i < ADDRESSES - 2; i++)
		addresses[i] = low + below(bytes);
	addresses[i++] = odd_value(bytes);
	addresses[i] = random_number();
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* False when something was not answered as promised. */
static bool ask(const char *path, const uint64_t addresses[ADDRESSES])
{
	const struct symbolizer_options options = {
		.seconds = SECONDS, .report = count_complaint};
	const struct symbolizer_module module = {.path = path};
	struct symbolizer *symbolizer = symbolizer_new(&options);
	double start = seconds();
	bool fine = symbolizer != NULL;
	size_t frames = 0;
	size_t i;

	symbolizer_expect(symbolizer, &module, addresses, ADDRESSES);
	for (i = 0; i < ADDRESSES && fine; i++) {
		const char *sentence = symbolizer_resolve(symbolizer, &module,
			addresses[i], count_frame, &frames);

		fine = frames > i && (!sentence || !strchr(sentence, '\n'));
	}
	symbolizer_free(symbolizer);
	return fine && seconds() - start < SECONDS + 2;
}

static int ask_all(unsigned long count, const char *scratch, char **paths,
	size_t path_count)
{
	struct image *images = calloc(path_count, sizeof(*images));
	unsigned long turn, crashed;
	size_t i;

	for (i = 0; i < path_count; i++)
		images[i] = read_image(paths[i]);
	for (turn = 0; turn < count; turn++) {
		const struct image *whole = &images[turn % path_count];
		struct image copy = {malloc(whole->bytes), whole->bytes};
		uint64_t addresses[ADDRESSES];
		uint64_t before = state;

		memcpy(copy.data, whole->data, whole->bytes);
		choose_addresses(whole, addresses);
		damage(&copy);
		write_image(scratch, &copy);
		free(copy.data);
		crashed = crashes;
		if (ask(scratch, addresses) && crashes == crashed)
			continue;
		printf("copy %lu of %s, state %llu: %s\n", turn,
			paths[turn % path_count], (unsigned long long)before,
			crashes == crashed ? "no answer, or late"
					   : "a crash");
		if (crashes == crashed)
			return 1;
	}
	for (i = 0; i < path_count; i++)
		free(images[i].data);
	free(images);
	printf("%lu copies of %zu files: %lu crashes of the worker, %lu "
	       "times too much time or memory\n",
		count, path_count, crashes, refusals);
	return crashes > 0;
}

static int write_one(const char *scratch, const char *path)
{
	struct image image = read_image(path);
	struct places places = find_places(&image, ".debug_");
	int turns;

	for (turns = 0; turns < 2; turns++)
		damage_contents(&image, &places);
	write_image(scratch, &image);
	free(image.data);
	return places.debug_count > 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
	if (argc >= 3)
		state = strtoull(argv[2], NULL, 0) * 2 + 1;
	if (argc == 5 && strcmp(argv[1], "write") == 0)
		return write_one(argv[3], argv[4]);
	if (argc >= 6 && strcmp(argv[1], "ask") == 0)
		return ask_all(strtoul(argv[3], NULL, 0), argv[4], argv + 5,
			(size_t)argc - 5);
	fputs("see the head of tests/mutate_elf.c\n", stderr);
	return 2;
}

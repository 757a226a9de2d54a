#include "tools/run/loader_check.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/program/elf_versions.h"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Each version that the library requires of this file, by the file's name. */
static bool check_versions(struct elf_image *file, const char *prefix,
	const char *path, struct elf_image *library, const char *subject,
	struct refusal *refusal)
{
	struct elf_versions_walk walk = {0};
	char name[ELF_IMAGE_NAME];
	char version[ELF_IMAGE_NAME];

	while (elf_versions_next_required(library, &walk, name, version)) {
		if (strncmp(name, prefix, strlen(prefix)) != 0 ||
			elf_versions_defines(file, version) || file->why)
			continue;
		return refusal_set(refusal, REFUSAL_POINTLESS,
			"%s: its %s is too old: libbinlog.so needs %s: build "
			"binlog on that system",
			subject, path, version);
	}
	return true;
}

/*
 * The libc of a glibc loader lies beside it, in every distribution and for
 * private copies too.  Where it does not, nothing is said about it.  glibc 2.31
 * has added nothing to libc.so.6 that would tell it from 2.30.
 */
static bool check_libc(const char *loader, struct elf_image *library,
	const char *subject, struct refusal *refusal)
{
	const char name[] = "libc.so.6";
	char path[PATH_MAX + sizeof(name)];
	struct elf_image libc;
	char *end;
	bool good;

	if (!realpath(loader, path))
		return true;
	end = strrchr(path, '/') + 1;
	memcpy(end, name, sizeof(name));
	if (!elf_image_open(&libc, path))
		return true;
	good = elf_versions_defines(&libc, "GLIBC_2.30") || libc.why ||
	       refusal_set(refusal, REFUSAL_POINTLESS,
		       "%s: its %s is older than glibc 2.31, the oldest that "
		       "libbinlog.so knows: record it on a newer system",
		       subject, path);
	good = good &&
	       check_versions(&libc, name, path, library, subject, refusal);
	elf_image_close(&libc);
	return good;
}

static bool check_opened(const char *path, struct elf_image *loader,
	struct elf_image *library, const char *subject, struct refusal *refusal)
{
	if (!loader->is_elf || !elf_versions_defines_like(loader, "GLIBC_"))
		return refusal_set(refusal, REFUSAL_POINTLESS,
			"%s: its dynamic loader %s is not glibc's: "
			"libbinlog.so is made for glibc: record a build for "
			"glibc instead",
			subject, path);
	return check_versions(loader, "ld-", path, library, subject, refusal) &&
	       check_libc(path, library, subject, refusal);
}

static bool check_loader(const char *path, struct elf_image *library,
	const char *subject, struct refusal *refusal)
{
	struct elf_image loader;
	bool good;

	if (strncmp(base_name(path), "ld-musl", strlen("ld-musl")) == 0)
		return refusal_set(refusal, REFUSAL_POINTLESS,
			"%s: linked with musl: libbinlog.so is made for "
			"glibc: record a build for glibc instead",
			subject);
	if (elf_image_open(&loader, path)) {
		good = check_opened(path, &loader, library, subject, refusal);
		elf_image_close(&loader);
		return good;
	}
	if (access(path, F_OK) == 0)
		return true;
	return refusal_set(refusal, REFUSAL_NOT_FOUND,
		"%s: its dynamic loader %s: %s: install the libc that it was "
		"built for",
		subject, path, strerror(errno));
}

bool loader_check(struct elf_image *image, struct elf_image *library,
	const char *subject, struct refusal *refusal)
{
	char path[PATH_MAX];

	if (elf_image_loader(image, path, sizeof(path)))
		return check_loader(path, library, subject, refusal);
	/* glibc's loader can be run as a program and then loads another. */
	if (elf_versions_defines_like(image, "GLIBC_")) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", image->file);
		return check_libc(path, library, subject, refusal);
	}
	if (image->why)
		return true;
	return refusal_set(refusal, REFUSAL_POINTLESS,
		"%s: statically linked: LD_PRELOAD has no effect on it: "
		"record a dynamically linked build instead",
		subject);
}

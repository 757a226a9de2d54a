#include "tools/run/program_check.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/xattr.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tools/program/elf_image.h"
#include "tools/program/preload.h"

/*
 * Whether the dynamic loader that a program names will load the library into
 * it, and find everything that the library wants from libc.  Loader and libc
 * are judged by what they define, not by their version numbers or places; only
 * musl is known by its name.
 */

/* What all checks of one program have in common. */
struct check {
	const char *subject; /* begins each sentence */
	struct elf_image *library;
	struct refusal *refusal;
};

/* Each version that the library requires of this file, by the file's name. */
static bool check_versions(const struct check *check, struct elf_image *file,
	const char *prefix, const char *path)
{
	char version[ELF_IMAGE_NAME];

	return !elf_image_lacks(check->library, file, prefix, version) ||
	       refusal_set(check->refusal, REFUSAL_POINTLESS,
		       "%s: its %s is too old: libbinlog.so needs %s: build "
		       "binlog on that system",
		       check->subject, path, version);
}

/*
 * The libc of a glibc loader lies beside it, in every distribution and for
 * private copies too.  Where it does not, nothing is said about it.  glibc 2.31
 * has added nothing to libc.so.6 that would tell it from 2.30.
 */
static bool check_libc(const struct check *check, const char *loader)
{
	const char name[] = "libc.so.6";
	char path[PATH_MAX + sizeof(name)];
	struct elf_image libc;
	bool good;

	if (!realpath(loader, path))
		return true;
	memcpy(strrchr(path, '/') + 1, name, sizeof(name));
	if (!elf_image_open(&libc, path))
		return true;
	good = elf_image_defines(&libc, "GLIBC_2.30", true) || libc.why ||
	       refusal_set(check->refusal, REFUSAL_POINTLESS,
		       "%s: its %s is older than glibc 2.31, the oldest that "
		       "libbinlog.so knows: record it on a newer system",
		       check->subject, path);
	good = good && check_versions(check, &libc, name, path);
	elf_image_close(&libc);
	return good;
}

static bool check_loader(const struct check *check, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct elf_image loader;
	bool good;

	if (strncmp(slash ? slash + 1 : path, "ld-musl", 7) == 0)
		return refusal_set(check->refusal, REFUSAL_POINTLESS,
			"%s: linked with musl: libbinlog.so is made for "
			"glibc: record a build for glibc instead",
			check->subject);
	if (elf_image_open(&loader, path)) {
		if (loader.is_elf &&
			elf_image_defines(&loader, "GLIBC_", false))
			good = check_versions(check, &loader, "ld-", path) &&
			       check_libc(check, path);
		else
			good = refusal_set(check->refusal, REFUSAL_POINTLESS,
				"%s: its dynamic loader %s is not glibc's: "
				"libbinlog.so is made for glibc: record a "
				"build for glibc instead",
				check->subject, path);
		elf_image_close(&loader);
		return good;
	}
	return access(path, F_OK) == 0 ||
	       refusal_set(check->refusal, REFUSAL_NOT_FOUND,
		       "%s: its dynamic loader %s: %s: install the libc that "
		       "it was built for",
		       check->subject, path, strerror(errno));
}

/* May also return true with `why` of `image` set: then that has to be
 * reported. */
static bool check_loading(const struct check *check, struct elf_image *image)
{
	char path[PATH_MAX];

	if (elf_image_loader(image, path, sizeof(path)))
		return check_loader(check, path);
	/* glibc's loader can be run as a program and then loads another. */
	if (elf_image_defines(image, "GLIBC_", false)) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", image->file);
		return check_libc(check, path);
	}
	return image->why ||
	       refusal_set(check->refusal, REFUSAL_POINTLESS,
		       "%s: statically linked: LD_PRELOAD has no effect on it: "
		       "record a dynamically linked build instead",
		       check->subject);
}

/*
 * The #! line of a script, read as the kernel reads it to find what will really
 * be run.  Promises to agree with execve(2) on blanks, on length and on what is
 * not a script.
 */

enum {
	SCRIPT_LINE_BYTES = 256, /* more than this the kernel does not read */
};

/*
 * Whether the file is a script, and then its interpreter: empty when the line
 * names none or is cut within the name, which the kernel refuses to run.  What
 * cannot be opened counts as no script.
 */
static bool script_line_read(
	const char *path, char interpreter[static SCRIPT_LINE_BYTES])
{
	char line[SCRIPT_LINE_BYTES + 1] = {0};
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	ssize_t got;
	char *name;
	size_t length;

	if (file < 0)
		return false;
	got = pread(file, line, SCRIPT_LINE_BYTES, 0);
	close(file);
	if (got < 2 || line[0] != '#' || line[1] != '!')
		return false;
	name = line + 2 + strspn(line + 2, " \t");
	length = strcspn(name, " \t\n");
	if (name + length == line + SCRIPT_LINE_BYTES)
		length = 0;
	memcpy(interpreter, name, length);
	interpreter[length] = '\0';
	return true;
}

/*
 * Libraries that insist on being the first one loaded, by the beginnings of
 * their names: those of gcc and, when linked as shared ones, of clang.
 */
static const char *const sanitizers[] = {
	"libasan.so",
	"libhwasan.so",
	"libtsan.so",
	"libclang_rt.asan",
	"libclang_rt.hwasan",
	"libclang_rt.tsan",
};

/* 0, or the errno with which executing it would fail. */
static int obstacle(const char *path)
{
	struct stat status;

	if (stat(path, &status) != 0)
		return errno;
	if (!S_ISREG(status.st_mode))
		return EACCES;
	if (faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) != 0)
		return errno;
	return 0;
}

static bool refuse_errno(struct refusal *refusal, int error, const char *what)
{
	bool missing = error == ENOENT || error == ENOTDIR;

	return refusal_set(refusal,
		missing ? REFUSAL_NOT_FOUND : REFUSAL_CANNOT_RUN, "%s: %s: %s",
		what, strerror(error),
		missing ? "check its name" : "check its kind and permissions");
}

/* One directory of PATH; an empty one means the working directory. */
static bool join(char path[static PATH_MAX], const char *directory,
	size_t length, const char *name)
{
	int size;

	if (length > PATH_MAX)
		return false;
	size = snprintf(path, PATH_MAX, "%.*s%s%s", (int)length, directory,
		length > 0 ? "/" : "", name);
	return size > 0 && size < PATH_MAX;
}

static bool search(const char *name, struct program *program, int *error)
{
	const char *directory = getenv("PATH");
	size_t length;
	int found;

	if (!directory)
		directory = "/bin:/usr/bin";
	*error = ENOENT;
	for (;; directory += length + 1) {
		length = strcspn(directory, ":");
		if (join(program->path, directory, length, name)) {
			found = obstacle(program->path);
			if (found == 0)
				return true;
			if (found == EACCES)
				*error = found;
		}
		if (directory[length] == '\0')
			return false;
	}
}

bool program_check_find(
	const char *name, struct program *program, struct refusal *refusal)
{
	int error;

	if (!strchr(name, '/') && name[0] != '\0') {
		if (search(name, program, &error))
			return true;
		if (error == ENOENT)
			return refusal_set(refusal, REFUSAL_NOT_FOUND,
				"%s: not found in PATH: check its name", name);
		return refuse_errno(refusal, error, name);
	}
	if (strlen(name) >= PATH_MAX)
		return refuse_errno(refusal, ENAMETOOLONG, name);
	snprintf(program->path, sizeof(program->path), "%s", name);
	error = obstacle(name);
	return error == 0 || refuse_errno(refusal, error, name);
}

/*
 * Where the kernel raises a program above its caller, the dynamic loader goes
 * into secure mode.  Mounts and processes can forbid raising.
 */
static bool check_privileges(const struct check *check, const char *path)
{
	const char *const why =
		"the dynamic loader drops LD_PRELOAD for it: record a copy "
		"without them, or run it as that user";
	struct statvfs mount;
	struct stat status;
	bool bits = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1;

	if (stat(path, &status) != 0 || statvfs(path, &mount) != 0 ||
		(mount.f_flag & ST_NOSUID))
		return true;
	if (bits && (status.st_mode & S_ISUID) && status.st_uid != getuid())
		return refusal_set(check->refusal, REFUSAL_POINTLESS,
			"%s: runs with the rights of user %u (setuid): %s",
			check->subject, (unsigned)status.st_uid, why);
	/* Without the group's x bit, setgid never meant a change of group. */
	if (bits && (status.st_mode & S_ISGID) && (status.st_mode & S_IXGRP) &&
		status.st_gid != getgid())
		return refusal_set(check->refusal, REFUSAL_POINTLESS,
			"%s: runs with the rights of group %u (setgid): %s",
			check->subject, (unsigned)status.st_gid, why);
	if (getuid() != 0 && getxattr(path, XATTR_NAME_CAPS, NULL, 0) > 0)
		return refusal_set(check->refusal, REFUSAL_POINTLESS,
			"%s: runs with capabilities of its own (setcap): %s",
			check->subject, why);
	return true;
}

static const char *machine_name(uint16_t number, char name[static 24])
{
	if (number == EM_X86_64)
		return "x86-64";
	if (number == EM_AARCH64)
		return "aarch64";
	snprintf(name, 24, "ELF machine %u", number);
	return name;
}

static bool check_machine(
	const struct check *check, const struct elf_image *image)
{
	const struct elf_image *library = check->library;
	char names[2][24];

	if (elf_image_same_machine(image, library)) {
		if (image->type == ET_EXEC || image->type == ET_DYN)
			return true;
		return refusal_set(check->refusal, REFUSAL_CANNOT_RUN,
			"%s: an ELF file of type %u: not a program: name one",
			check->subject, image->type);
	}
	if (image->class != library->class &&
		(image->class == ELFCLASS32 || image->class == ELFCLASS64))
		return refusal_set(check->refusal, REFUSAL_POINTLESS,
			"%s: a %u-bit program: libbinlog.so is %u-bit: record "
			"a %u-bit build instead",
			check->subject, image->class * 32u,
			library->class * 32u, library->class * 32u);
	if (image->machine == library->machine)
		return refusal_set(check->refusal, REFUSAL_POINTLESS,
			"%s: a damaged ELF file: its class or byte order is "
			"not that of its machine: build or install it again",
			check->subject);
	return refusal_set(check->refusal, REFUSAL_POINTLESS,
		"%s: built for %s: libbinlog.so is for %s: record a build for "
		"that instead",
		check->subject, machine_name(image->machine, names[0]),
		machine_name(library->machine, names[1]));
}

static void find_sanitizer(struct elf_image *image, struct program *program)
{
	char name[ELF_IMAGE_NAME];
	uint64_t place = 0;
	size_t i;

	while (elf_image_next_needed(image, &place, name))
		for (i = 0; i < sizeof(sanitizers) / sizeof(*sanitizers); i++)
			if (strncmp(name, sanitizers[i],
				    strlen(sanitizers[i])) == 0) {
				snprintf(program->sanitizer,
					sizeof(program->sanitizer), "%s", name);
				return;
			}
}

static bool check_binary(
	const struct check *check, const char *path, struct program *program)
{
	struct elf_image image;
	bool good = true;

	if (!check_privileges(check, path))
		return false;
	if (!elf_image_open(&image, path))
		return true;
	if (!image.is_elf)
		good = refusal_set(check->refusal, REFUSAL_POINTLESS,
			"%s: neither an ELF program nor a script with a #! "
			"line: name the program that runs it",
			check->subject);
	else if (!image.why)
		good = check_machine(check, &image) &&
		       check_loading(check, &image);
	if (good && !image.why)
		find_sanitizer(&image, program);
	if (good && image.why)
		good = refusal_set(check->refusal, REFUSAL_POINTLESS,
			"%s: a damaged ELF file: %s: build or install it again",
			check->subject, image.why);
	elf_image_close(&image);
	return good;
}

bool program_check_preload(struct program *program, struct elf_image *library,
	struct refusal *refusal)
{
	char path[PATH_MAX];
	char interpreter[SCRIPT_LINE_BYTES];
	char subject[2 * PATH_MAX];
	const struct check check = {subject, library, refusal};
	unsigned depth;
	int error;

	program->sanitizer[0] = '\0';
	snprintf(path, sizeof(path), "%s", program->path);
	snprintf(subject, sizeof(subject), "%s", program->path);
	for (depth = 0; script_line_read(path, interpreter); depth++) {
		/* The kernel's own limit. */
		if (depth == 5)
			return refusal_set(refusal, REFUSAL_CANNOT_RUN,
				"%s: scripts that run scripts, too many: name "
				"the last one's interpreter",
				program->path);
		snprintf(subject, sizeof(subject), "%s: its interpreter %s",
			program->path,
			interpreter[0] != '\0' ? interpreter
					       : "on the #! line");
		error = interpreter[0] != '\0' ? obstacle(interpreter) : ENOENT;
		if (error != 0)
			return refuse_errno(refusal, error, subject);
		snprintf(path, sizeof(path), "%s", interpreter);
	}
	return check_binary(&check, path, program);
}

/*
 * Bits of FILE::_flags as glibc has had them since 2.1 (libio/libio.h): part
 * of its ABI, since macros like putc_unlocked() work on the structure.
 */
#ifndef SHIM_LIBIO_H
#define SHIM_LIBIO_H

/* The upper half of every FILE::_flags. */
#define LIBIO_MAGIC 0xfbad0000u
#define LIBIO_MAGIC_MASK 0xffff0000u

#define LIBIO_USER_BUFFER 0x1 /* not libc's to free */
#define LIBIO_UNBUFFERED 0x2
#define LIBIO_NO_READS 0x4
#define LIBIO_NO_WRITES 0x8
#define LIBIO_EOF_SEEN 0x10
#define LIBIO_ERR_SEEN 0x20
#define LIBIO_LINE_BUFFERED 0x200
#define LIBIO_CURRENTLY_PUTTING 0x800 /* the buffer holds output */
#define LIBIO_APPENDING 0x1000
#define LIBIO_IS_FILEBUF 0x2000 /* there is a descriptor behind it */

/* How FILE::_wide_data begins (struct _IO_wide_data). */
struct libio_wide {
	const wchar_t *read_at;
	const wchar_t *read_end;
};
/* Where FILE::_flags2 is, which has no address where it is a bit-field (glibc
 * since 2.41): behind the descriptor, in the low bits of four bytes. */
#define LIBIO_FLAGS2 (offsetof(FILE, _fileno) + sizeof(int))
/* Of FILE::_flags2: threads may share it (glibc since 2.28). */
#define LIBIO_NEEDS_LOCK 0x80

#endif

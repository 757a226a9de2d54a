/*
 * Bits of FILE::_flags as glibc has had them since 2.1 (libio/libio.h): part
 * of its ABI, since macros like putc_unlocked() work on the structure.
 */
#ifndef SHIM_LIBIO_H
#define SHIM_LIBIO_H

#define LIBIO_UNBUFFERED 0x2
#define LIBIO_NO_WRITES 0x8
#define LIBIO_LINE_BUFFERED 0x200
#define LIBIO_CURRENTLY_PUTTING 0x800 /* the buffer holds output */
#define LIBIO_IS_FILEBUF 0x2000	      /* there is a descriptor behind it */

#endif

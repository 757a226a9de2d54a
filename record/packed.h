/*
 * The packed log, format version 2: what binlog-pack writes, and binlog-show
 * reads like a capture.  It is defined here and in packed_tags.def and
 * packed_fields.def, and nowhere else; man/binlog-packed.5.in says the same in
 * prose.
 *
 *	log    = frames
 *	frame  = 0xc1, 0xce, CRC-32 (IEEE 802.3, big-endian) of record,
 *	         0xc1, 0xa0 to 0xbf | 0xda | 0xdb as a raw of the MessagePack
 *	         of 2012 with its length, record
 *	record = tag (positive fixnum), payload (map of field to value)
 *
 * Frames are found again after any damage, logs may be joined and cut at any
 * byte.  Readers skip tags and fields that they do not know, and count them.
 * Within a version only new tags and fields are added.  Version 2 has SPLIT and
 * TOGETHER, and columns one level deeper; all else is as in version 1, whose
 * logs are read as ever.
 *
 * Ids are of one log (field LOG), each kind has its own; 0 is none.  The
 * same id always means the same thing.  A record in which a whole frame could
 * be found (a program has printed a log) is written with a MASK under which
 * there is none, so that damage to it does not bring that out.  A log has
 * parts: what a message needs
 * is defined in its part, before it, so reading can begin at any part.
 *
 * Behind a group of frames, of up to PACKED_GROUP_MAX bytes, is its parity: the
 * bytes are laid out in rows of a 247th of them, rounded up, and eight rows of
 * parity go on right behind the last byte, if need be in the middle of a row.
 * Each column is a code word of Reed and Solomon over GF(256), polynomial
 * 0x11d, whose generator has the roots 2^0 to 2^7: its last eight bytes are
 * parity, the first one has the highest power.  A MARK, a PARITY with the first
 * four rows of parity, a MARK, a PARITY with the other four, and a MARK follow
 * the group.  They have neither LOG nor PART.
 *
 * SUMS of a PIECES, behind a BATCH: what of that one's frame is whole, and where
 * its body can be entered.  Numbers are those of columns, see below; sums are
 * CRC-32 as of frames, little-endian.  How many bytes come before the body, and
 * their sum; how many behind it, and if there are any their sum.  Then for each
 * piece of the body, until it ends: its bytes; how many it has inflated; 0, or
 * how much further the column is that begins first in it than the one that was
 * told before (the first: one more than its number), and then at which of its
 * inflated bytes; its sum.  A piece that begins with a frame of zstd can be
 * inflated by itself, others after those before in the same frame.  Columns are
 * counted from 0: those that all messages have, those of sites, and what is
 * behind all columns.  Last a number: 0 if that is nothing; else one more than
 * the number of strings that are in columns all the same, and each of these
 * columns, as the difference to the one before: those of sites, from 0 on.
 * TICKS has the ticks of every PACKED_MARK_MESSAGES-th message, and of the last
 * one, as signed differences to the ones before, the first to 0.
 *
 * INDEX of a batch is a MessagePack array of
 *	sites:   arrays of [site id, messages, TEXT, FLAGS, flags of the stream,
 *	         KINDS, module of the format, offset of the format, module of
 *	         the return address, return address]: all that is needed to
 *	         make the text again when all definitions are lost
 *	writers: arrays of [thread id, capture id, process id, pid, tid,
 *	         messages]
 *	modules: arrays of [module id, build-id, path, file bytes, content hash]
 *	clocks:  arrays of [capture id, from, span, realtime, bits of rate]
 *	         (struct wall_segment), and from which message of the batch on
 *	         it is the capture's: six numbers; until then its clock says 0
 *	cores:   arrays of [place in `writers`, from 0; from which message of
 *	         the batch on; one more than the number of the core that it is
 *	         on, 0: not known]; until then 0; logs without it know no cores
 * where modules are given by their place in the array `modules`, counted from
 * 1; 0 is none, and then the offset is an address in memory.
 *
 * CALLS of a HANDED is a MessagePack array of
 *	texts:   strings, each once
 *	calls:   arrays of [module id, return address in its ELF file], and
 *	         behind these five numbers for each text that the call may hand
 *	         on, the most likely first: its place in `texts`, from 0; how
 *	         (enum symbolizer_handing: 0 as an argument of the call, 1 by a
 *	         jump of what it calls, 2 before the call), plus 3 if what is
 *	         called takes only its own arguments, 6 if any, as printf does,
 *	         0 if nobody knows; the return address
 *	         minus the address of the instruction that does, signed; that
 *	         minus the first address of the code around it; how many bytes
 *	         that code has from that instruction on
 * A call without texts hands none on, as far as the program says.
 *
 * BODY of a batch is columns, one after the other, each with one value for
 * each message, in the order of the calls:
 *	the message's site, as a place in `sites`, from 0
 *	its writer, as a place in `writers`
 *	its ticks, as the difference to the message before; first: to 0
 *	its wall time, as the difference to what its capture's clock says
 *	1 if the message before of the same writer was of the same call
 * and then, site by site in the order of `sites`, argument by argument, a
 * column with one value for each message of that site: a column of numbers,
 * where that of an F64 has its bits, of an I32 its value; for strings a column
 * of strings; for LONG_DOUBLE the 16 bytes of each.
 *
 * A number below is LEB128, of up to 64 bits; a signed one is zigzagged before.
 * All arithmetic is modulo 2^64.  A column of n numbers begins with a byte:
 *	CONSTANT    a signed number: all values are this
 *	PLANES      a width w in bytes (1 to 8), a signed base; then w times n
 *	            bytes, the lowest bytes of all, then the next...: what is
 *	            added to the base
 *	PATCHED     as PLANES; then how many exceptions there are, and for each
 *	            its place, as the difference to the exception before (of
 *	            the first: to 0), and its value itself, signed
 *	DELTA       a signed number, the first value; then a column of n - 1
 *	            numbers: the differences to the value before
 *	DICTIONARY  a number k, k signed numbers; then a column of n numbers:
 *	            places among these
 *	GROUPED     for each of `sites`, in their order, a column with the
 *	            values of its messages; only the outermost column of
 *	            those that all messages have, and not the first of these;
 *	            or the one right within SPLIT, if that is outermost
 *	PHRASES     a number k; a column of k numbers: how many values each of
 *	            k phrases has, at least 1; a column of all of these, one
 *	            phrase after the other; a number m, and a column of m
 *	            numbers: the phrases that make the column, as places among
 *	            the k.  No phrase is missing in it: all phrases together
 *	            have no more than n values
 *	SCALED      a number d; exceptions as of PATCHED; then a column of n
 *	            numbers: each value but those is d times this
 *	DECIMAL     a number e, at most 22; exceptions as of PATCHED; then a
 *	            column of n numbers: each value but those is the bits of
 *	            the double that is this, signed, divided by 10^e
 *	SPLIT       a number b, 1 to PACKED_SPLIT_MAX; a column of n numbers:
 *	            the values without their b low bits; then these bits, one
 *	            value after the other, from the lowest bit of each byte
 *	            on; the last byte is filled with zeros.  Outermost only
 * A column of n strings begins with a byte:
 *	PLAIN       a column of n numbers: one more than the bytes of each
 *	            string, or 0 for a null pointer; then all bytes
 *	DICTIONARY  a number k; then PLAIN's content for k strings; then a
 *	            column of n numbers: places among these
 *	TEMPLATES   as DICTIONARY, of strings with slots; then for each of the
 *	            k, slot by slot, a column of numbers, one for each of the
 *	            n strings that is made of it, in their order.  A slot is a
 *	            byte from 1 to 4: the number in decimal (1), in lower-case
 *	            hexadecimal (2), or (3, 4) the same with zeros before it up
 *	            to a width of 1 to 20 digits, which is the next byte.  All
 *	            other bytes stand for themselves; numbers have no sign.  A
 *	            string with slots has no more than PACKED_TEMPLATE_MAX
 *	            bytes
 *	TOGETHER    nothing: the strings, of which none is a null pointer, are
 *	            behind all columns, with those of all others of this kind
 * Behind all columns, if there are any of these: a number k, and PLAIN's
 * content for k strings, the heads; a column of numbers, one for each string of
 * all these columns in the order of the calls (those of one message in that of
 * its arguments), which head it has, as a place; PLAIN's content for two strings
 * for each of the columns, in their order: what its strings have behind the
 * head, and what at their end; and a byte.  Then for each string, in the order
 * of the calls, what is between, and that byte behind it; nothing, not even the
 * byte, where the second of the column's is a null pointer.  Heads and these
 * two have no more than PACKED_TEMPLATE_MAX bytes.
 * Columns are nested no deeper than PACKED_NESTING: the outermost column of
 * numbers, also that of a column of strings, is 1 deep.  A column of no values
 * is nothing, not even the first byte.
 */
#ifndef RECORD_PACKED_H
#define RECORD_PACKED_H

#include <stdint.h>

#define PACKED_VERSION 2u
#define PACKED_SUFFIX ".blog" /* of the name of a packed log */

/* No frame's record is longer, bytes. */
#define PACKED_RECORD_MAX (4u << 20)
/* Nor are the frames between two parities, bytes. */
#define PACKED_GROUP_MAX (16u << 20)
/* Of fewer there is none. */
#define PACKED_GROUP_MIN 4096u
/* Nor what one holds of the records of a capture that grows. */
#define PACKED_CONTROL_MAX (1u << 20)
/* Nor CALLS of a HANDED, inflated. */
#define PACKED_HANDED_MAX (1u << 20)
/* No batch has more, whatever its compression. */
#define PACKED_BODY_MAX ((1u << 20) + (64u << 10))
#define PACKED_INDEX_MAX (1u << 20)
#define PACKED_MESSAGES_MAX (64u << 10)
/* A part ends, at the next batch, when it has more messages than this; or than
 * a quarter of it, if what is defined in it is little beside them. */
#define PACKED_PART_MESSAGES (1u << 20)
#define PACKED_NESTING 4u
/* A batch whose frame has fewer bytes has no PIECES. */
#define PACKED_PIECES_LEAST 4096u
/* From mark to mark, messages. */
#define PACKED_MARK_MESSAGES 4096u
#define PACKED_TEMPLATE_MAX 1024u
#define PACKED_SPLIT_MAX 16u

enum packed_tag {
#define TAG(name, number, comment) PACKED_##name = number,
#include "record/packed_tags.def"
#undef TAG
};

/* PACKED_SITE_FORMAT and so on. */
enum packed_field {
#define FIELD(tag, name, number, kind, comment) PACKED_##tag##_##name = number,
#include "record/packed_fields.def"
#undef FIELD
};

enum packed_compression { PACKED_STORED = 0, PACKED_ZSTD = 1 };

enum packed_column {
	PACKED_CONSTANT = 0,
	PACKED_PLANES = 1,
	PACKED_PATCHED = 2,
	PACKED_DELTA = 3,
	PACKED_DICTIONARY = 4,
	PACKED_GROUPED = 5,
	PACKED_PHRASES = 6,
	PACKED_SCALED = 7,
	PACKED_DECIMAL = 8,
	PACKED_SPLIT = 9,
};

enum packed_strings {
	PACKED_STRINGS_PLAIN = 0,
	PACKED_STRINGS_DICTIONARY = 1,
	PACKED_STRINGS_TEMPLATES = 2,
	PACKED_STRINGS_TOGETHER = 3,
};

#endif

#!/usr/bin/env python3
"""elf_bombs.py DIRECTORY: writes ELF files that cost far more than they hold, for readers that are not careful

Each file is of about 1 MiB, for x86-64, has the build-id 0123456789abcdef and code at 0x1000 to 0x2000.
"""
import lzma
import os
import struct
import sys
import zlib

MIB = 1 << 20
LARGE = 1 << 30
CODE = 0x1000
CODE_BYTES = 0x1000
PROGBITS, SYMTAB, STRTAB, RELA, NOTE, NOBITS, DYNSYM = 1, 2, 3, 4, 7, 8, 11
WRITE, ALLOC, EXEC, COMPRESSED = 1, 2, 4, 0x800


class Section:
    def __init__(self, name, data=b"", kind=PROGBITS, flags=0, address=0, link=0, entry=0, size=None, offset=None):
        self.name, self.data, self.kind, self.flags = name, data, kind, flags
        self.address, self.link, self.entry = address, link, entry
        self.size = len(data) if size is None else size
        self.offset = offset


def code(data=b"\x90" * CODE_BYTES):
    return Section(".text", data, PROGBITS, ALLOC | EXEC, CODE)


def note():
    data = struct.pack("<III", 4, 8, 3) + b"GNU\0" + bytes.fromhex("0123456789abcdef")
    return Section(".note.gnu.build-id", data, NOTE, ALLOC, 0x400)


def elf(sections):
    """The file; sections name those that they belong to."""
    sections = [note()] + sections
    body, heads, names, at = [], [bytes(64)], {}, 64
    strings = b"\0"
    numbers = {section.name: i + 1 for i, section in reversed(list(enumerate(sections)))}
    for section in sections + [Section(".shstrtab", None, STRTAB, size=0)]:
        if section.name not in names:
            names[section.name] = len(strings)
            strings += section.name.encode() + b"\0"
        if section.data is None:
            section.data, section.size = strings, len(strings)
        offset = at if section.offset is None else section.offset
        heads.append(struct.pack("<IIQQQQIIQQ", names[section.name], section.kind, section.flags, section.address,
                                 offset, section.size, numbers.get(section.link, 0), 0, 1, section.entry))
        body.append(section.data)
        at += len(section.data)
    count = len(heads)
    if count >= 0xff00:  # too many for the header
        heads[0] = struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, count, count - 1, 0, 0, 0)
    segment = struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, 64, 64, 0x1000)
    head = b"\x7fELF\2\1\1" + bytes(9) + struct.pack(
        "<HHIQQQIHHHHHH", 3, 62, 1, CODE, at + 64 * count, at, 0, 64, 56, 1, 64,
        0 if count >= 0xff00 else count, 0xffff if count >= 0xff00 else count - 1)
    return head + b"".join(body) + b"".join(heads) + segment


def uleb(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7f | 0x80])
        value >>= 7
    return out + bytes([value])


def abbreviation(number, tag, children, *attributes):
    out = uleb(number) + uleb(tag) + bytes([children])
    return out + b"".join(uleb(value) for pair in attributes for value in pair) + b"\0\0"


NAME, STMT_LIST, LOW_PC, HIGH_PC, RANGES, ORIGIN, CALL_LINE = 0x03, 0x10, 0x11, 0x12, 0x55, 0x31, 0x59
ADDR, DATA4, STRING, REF4, SEC_OFFSET, FLAG_PRESENT, INDIRECT = 0x01, 0x06, 0x08, 0x13, 0x17, 0x19, 0x16
COMPILE_UNIT, SUBPROGRAM, INLINED = 0x11, 0x2e, 0x1d
ALL = struct.pack("<QI", CODE, CODE_BYTES)  # low and high pc
UNIT = abbreviation(1, COMPILE_UNIT, 1, (LOW_PC, ADDR), (HIGH_PC, DATA4))


def unit(entries, abbreviations=0):
    data = struct.pack("<HIB", 4, abbreviations, 8) + entries
    return struct.pack("<I", len(data)) + data


def dwarf(info, abbrev, *more):
    return elf([code(), Section(".debug_info", info), Section(".debug_abbrev", abbrev), *more])


def line_table(program, head=b"\0\0"):
    head = struct.pack("<BBBbBB", 1, 1, 1, -5, 14, 10) + bytes([0, 1, 1, 1, 1, 0, 0, 0, 1]) + head
    data = struct.pack("<HI", 4, len(head)) + head + program
    return struct.pack("<I", len(data)) + data


def to_code():
    return b"\0\x09\x02" + struct.pack("<Q", CODE)


# ---- what unpacks ----
def zlib_of_zeros(size):
    packer = zlib.compressobj(9)
    packer.compress(b"")
    block = packer.compress(bytes(MIB)) + packer.flush(zlib.Z_FULL_FLUSH)
    return b"\x78\xda" + block[2:] * (size // MIB) + b"\x03\0" + struct.pack(">I", (size % 65521) << 16 | 1)


def zstd_of_zeros(size):
    blocks = [struct.pack("<I", (i == size // 131072 - 1) | 1 << 1 | 131072 << 3)[:3] + b"\0"
              for i in range(size // 131072)]
    return b"\x28\xb5\x2f\xfd\xe0" + struct.pack("<Q", size) + b"".join(blocks)


def compressed(kind, size, packed, name=".debug_info"):
    return Section(name, struct.pack("<IIQQ", kind, 0, size, 1) + packed, PROGBITS, COMPRESSED)


def packed_zlib():
    return elf([code(), compressed(1, LARGE, zlib_of_zeros(LARGE)), Section(".debug_abbrev", UNIT)])


def packed_zstd():
    return elf([code(), compressed(2, LARGE, zstd_of_zeros(LARGE)), Section(".debug_abbrev", UNIT)])


def packed_liar():
    """Its header says 1 MiB."""
    return elf([code(), compressed(1, MIB, zlib_of_zeros(LARGE)), Section(".debug_abbrev", UNIT)])


def packed_many():
    names = (".debug_info", ".debug_abbrev", ".debug_str", ".debug_line", ".debug_ranges", ".symtab")
    packed = zlib_of_zeros(LARGE // 16)
    return elf([code()] + [compressed(1, LARGE // 16, packed, name) for name in names])


def section_names():
    data = bytearray(elf([code(), compressed(1, LARGE, zlib_of_zeros(LARGE), ".names")]))
    struct.pack_into("<H", data, 62, 3)  # e_shstrndx
    return bytes(data)


def packed_zdebug():
    data = b"ZLIB" + struct.pack(">Q", LARGE) + zlib_of_zeros(LARGE)
    return elf([code(), Section(".zdebug_info", data), Section(".zdebug_abbrev", UNIT)])


def xz_of_zeros(size, dictionary=MIB):
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": dictionary, "mode": lzma.MODE_FAST, "nice_len": 273,
                "mf": lzma.MF_HC3}]
    packer = lzma.LZMACompressor(lzma.FORMAT_XZ, lzma.CHECK_NONE, filters=filters)
    return b"".join([packer.compress(bytes(MIB)) for _ in range(size // MIB)] + [packer.flush()])


def packed_xz():
    return elf([code(), Section(".gnu_debugdata", xz_of_zeros(LARGE // 4))])


def packed_xz_dictionary():
    return elf([code(), Section(".gnu_debugdata", xz_of_zeros(MIB, 64 * MIB) + bytes(MIB))])


# ---- what leads to the same place again and again ----
def units():
    """Each begins with the same long abbreviation."""
    attributes = [(0x2000, FLAG_PRESENT)] * 330
    abbrev = abbreviation(1, COMPILE_UNIT, 0, *attributes) + b"\0"
    return dwarf(unit(b"\1\0\0\0") * (MIB // 15), abbrev)


def late_abbreviation():
    """Each unit begins with the last abbreviation of the one large table."""
    abbrev = abbreviation(1, SUBPROGRAM, 0, *[(0x2000, FLAG_PRESENT)] * (MIB // 8))
    return dwarf(unit(b"\2\0\0\0") * (MIB // 30), abbrev + abbreviation(2, COMPILE_UNIT, 0, (0x2000, FLAG_PRESENT)) + b"\0")


def other_versions():
    """Each unit is of a version that nobody knows."""
    data = struct.pack("<IHIB", 7, 99, 0, 8)
    return dwarf(data * (MIB // len(data)), UNIT + b"\0")


def shared_lines():
    """Each unit is at all addresses, and has the one large line table."""
    abbrev = abbreviation(1, COMPILE_UNIT, 0, (LOW_PC, ADDR), (HIGH_PC, DATA4), (STMT_LIST, SEC_OFFSET)) + b"\0"
    info = unit(b"\1" + ALL + bytes(4)) * (MIB // 2 // 29)
    return dwarf(info, abbrev, Section(".debug_line", line_table(to_code() + b"\x12" * (MIB // 2))))


def shared_files():
    """Likewise, but for a table of files."""
    abbrev = abbreviation(1, COMPILE_UNIT, 0, (LOW_PC, ADDR), (HIGH_PC, DATA4), (STMT_LIST, SEC_OFFSET)) + b"\0"
    info = unit(b"\1" + ALL + bytes(4)) * (MIB // 2 // 29)
    return dwarf(info, abbrev, Section(".debug_line", line_table(b"", b"\0" + b"a\0\0\0\0" * (MIB // 10) + b"\0")))


def shared_ranges():
    """Each function has all ranges."""
    abbrev = UNIT + abbreviation(2, SUBPROGRAM, 0, (RANGES, SEC_OFFSET)) + b"\0"
    info = unit(b"\1" + ALL + (b"\2" + bytes(4)) * (MIB // 2 // 5) + b"\0")
    ranges = b"".join(struct.pack("<QQ", CODE + 2 * i % 4000, CODE + 2 * i % 4000 + 1) for i in range(MIB // 32))
    return dwarf(info, abbrev, Section(".debug_ranges", ranges + bytes(16)))


def shared_unit_ranges():
    """Each unit has all ranges."""
    abbrev = abbreviation(1, COMPILE_UNIT, 0, (LOW_PC, ADDR), (RANGES, SEC_OFFSET)) + b"\0"
    info = unit(b"\1" + bytes(8) + bytes(4)) * (MIB // 2 // 24)
    ranges = b"".join(struct.pack("<QQ", CODE + 2 * i % 4000, CODE + 2 * i % 4000 + 1) for i in range(MIB // 32))
    return dwarf(info, abbrev, Section(".debug_ranges", ranges + bytes(16)))


def overlapping_units():
    """Each has another length, and all have functions everywhere."""
    abbrev = UNIT + abbreviation(2, SUBPROGRAM, 0, (LOW_PC, ADDR), (HIGH_PC, DATA4)) + b"\0"
    return dwarf(unit(b"\1" + ALL + b"\2" + ALL + b"\0") * (MIB // 38), abbrev)


def origins():
    """Each function has its name from the one before."""
    abbrev = UNIT + abbreviation(2, SUBPROGRAM, 0, (LOW_PC, ADDR), (HIGH_PC, DATA4), (ORIGIN, REF4)) + b"\0"
    entries, at = [], 11 + 1 + len(ALL)
    for i in range(MIB // 17):
        entries.append(b"\2" + ALL + struct.pack("<I", max(at - 17, 11 + 13)))
        at += 17
    return dwarf(unit(b"\1" + ALL + b"".join(entries) + b"\0"), abbrev)


def deep_inlines():
    """One in the other, everywhere."""
    abbrev = (UNIT + abbreviation(2, SUBPROGRAM, 1, (LOW_PC, ADDR), (HIGH_PC, DATA4)) +
              abbreviation(3, INLINED, 1, (LOW_PC, ADDR), (HIGH_PC, DATA4), (CALL_LINE, 0x0b)) + b"\0")
    return dwarf(unit(b"\1" + ALL + b"\2" + ALL + (b"\3" + ALL + b"\1") * (MIB // 14)), abbrev)


def staggered_inlines():
    """One in the other, each with other ends, so that there are as many pieces."""
    abbrev = (UNIT + abbreviation(2, SUBPROGRAM, 1, (LOW_PC, ADDR), (HIGH_PC, DATA4)) +
              abbreviation(3, INLINED, 0, (LOW_PC, ADDR), (HIGH_PC, DATA4)) + b"\0")
    calls = b"".join(b"\3" + struct.pack("<QI", CODE + i % 2000, 4000 - 2 * (i % 2000)) for i in range(MIB // 13))
    return dwarf(unit(b"\1" + ALL + b"\2" + ALL + calls), abbrev)


def deep_entries():
    abbrev = UNIT + abbreviation(2, 0x0b, 1) + b"\0"
    return dwarf(unit(b"\1" + ALL + b"\2" * MIB), abbrev)


def indirect_forms():
    abbrev = UNIT + abbreviation(2, SUBPROGRAM, 0, (NAME, INDIRECT), (LOW_PC, ADDR)) + b"\0"
    return dwarf(unit(b"\1" + ALL + b"\2" + bytes([INDIRECT]) * MIB), abbrev)


def long_abbreviation():
    """Entries of one byte with very many attributes that have none."""
    abbrev = UNIT + abbreviation(2, SUBPROGRAM, 0, *[(0x2000 + i, 0x0d if i % 2 else FLAG_PRESENT)
                                                   for i in range(MIB // 10)]) + b"\0"
    return dwarf(unit(b"\1" + ALL + b"\2" * (MIB // 2)), abbrev)


def empty_fields():
    """A line table of version 5 whose entries have 255 fields of no bytes."""
    fields = b"\xff" + b"\1\x19" * 255
    head = struct.pack("<BBBbBB", 1, 1, 1, -5, 14, 10) + bytes([0, 1, 1, 1, 1, 0, 0, 0, 1])
    head += fields + uleb(MIB - 4096) + bytes(MIB)
    data = struct.pack("<HBBI", 5, 8, 0, len(head)) + head + to_code() + b"\x12" * 64
    abbrev = abbreviation(1, COMPILE_UNIT, 0, (LOW_PC, ADDR), (HIGH_PC, DATA4), (STMT_LIST, SEC_OFFSET)) + b"\0"
    return dwarf(unit(b"\1" + ALL + bytes(4)), abbrev, Section(".debug_line", struct.pack("<I", len(data)) + data))


def line_rows():
    """The longest program, and each row begins a sequence."""
    abbrev = abbreviation(1, COMPILE_UNIT, 0, (LOW_PC, ADDR), (HIGH_PC, DATA4), (STMT_LIST, SEC_OFFSET)) + b"\0"
    rows = (to_code() + b"\x12\0\1\1") * (MIB // 15)
    return dwarf(unit(b"\1" + ALL + bytes(4)), abbrev, Section(".debug_line", line_table(rows)))


# ---- tables ----
def symbols(count, name=1, section=2):
    return b"".join(struct.pack("<IBBHQQ", name, 0x12, 0, section, CODE + i % CODE_BYTES, 1) for i in range(count))


def many_sections():
    """Symbols of MiniDebugInfo are looked for in all of them."""
    table, strings = symbols(MIB // 2 // 24), b"\0function\0"
    small = elf([Section(".symtab", table, SYMTAB, link=".strtab", entry=24), Section(".strtab", strings, STRTAB)])
    packed = lzma.compress(small, lzma.FORMAT_XZ, lzma.CHECK_NONE, 0)
    return elf([Section("", b"", NOBITS, ALLOC, 1 << 40, size=1)] * (MIB // 64) +
               [code(), Section(".gnu_debugdata", packed)])


def stub_names():
    """Each stub is called by the one name, which is long."""
    count, got = 8192, 0x100000
    relocations = b"".join(struct.pack("<QQq", got + 8 * i, 1 << 32 | 7, 0) for i in range(count))
    stubs = b"".join(b"\xff\x25" + struct.pack("<i", got + 8 * i - (0x8000 + 16 * i + 6)) + bytes(10)
                     for i in range(count))
    names = b"\0" + b"n" * (MIB // 2) + b"\0"
    return elf([code(), Section(".dynsym", bytes(24) + symbols(1, 1, 0), DYNSYM, ALLOC, 0x500, ".dynstr", 24),
                Section(".dynstr", names, STRTAB, ALLOC, 0x600),
                Section(".rela.plt", relocations, RELA, ALLOC, 0x700, ".dynsym", 24),
                Section(".plt", stubs, PROGBITS, ALLOC | EXEC, 0x8000, entry=16),
                Section(".got", b"", NOBITS, ALLOC | WRITE, got, size=8 * count)])


def long_names():
    """Each symbol's name is the rest of the one string."""
    count = MIB // 2 // 24
    table = b"".join(struct.pack("<IBBHQQ", i + 1, 0x12, 0, 2, CODE + i % CODE_BYTES, 1) for i in range(count))
    strings = b"\0" + b"n" * (MIB // 2) + b"\0"
    return elf([code(), Section(".symtab", table, SYMTAB, link=".strtab", entry=24),
                Section(".strtab", strings, STRTAB)])


def mangled_name():
    """Its parts stand for ever more."""
    name = b"_Z1f" + b"".join(b"N1aI" for _ in range(200)) + b"S_" * 400
    name += b"".join(b"S%s_S%s_" % (b"%X" % i, b"%X" % i) for i in range(60)) + b"E" * 400
    doubled = b"_Z1fM1aM1a" + b"".join(b"M" + b"S%d_S%d_" % (i % 10, i % 10) for i in range(2000))
    strings = b"\0" + name + b"\0" + doubled + b"\0"
    table = struct.pack("<IBBHQQ", 1, 0x12, 0, 2, CODE, 0x800)
    table += struct.pack("<IBBHQQ", 2 + len(name), 0x12, 0, 2, CODE + 0x800, 0x800)
    return elf([code(), Section(".symtab", bytes(24) + table, SYMTAB, link=".strtab", entry=24),
                Section(".strtab", strings, STRTAB)])


def overlapping_sections():
    """All are the same code."""
    text = b"\x90\xe8\xfa\xff\xff\xff" * (MIB // 2 // 6)
    sections = [Section(".code", b"", PROGBITS, ALLOC | EXEC, CODE, size=len(text), offset=64 + 24)]
    out = [Section(".code", text, PROGBITS, ALLOC | EXEC, CODE)]
    return elf(importing() + out + sections * (MIB // 2 // 64))


def importing():
    """One function that prints, so that calls of it are looked for."""
    return [Section(".dynsym", bytes(24) + symbols(1, 1, 0), DYNSYM, ALLOC, 0x500, ".dynstr", 24),
            Section(".dynstr", b"\0printf\0", STRTAB, ALLOC, 0x600),
            Section(".rela.plt", struct.pack("<QQq", 0x200000, 1 << 32 | 7, 0), RELA, ALLOC, 0x700, ".dynsym", 24),
            Section(".plt", b"\xff\x25" + struct.pack("<i", 0x200000 - 0x806) + bytes(10), PROGBITS, ALLOC | EXEC,
                    0x800, entry=16),
            Section(".got", b"", NOBITS, ALLOC | WRITE, 0x200000, size=8)]


def traced_calls():
    """Nothing but calls that print, and jumps that lead to each of them."""
    body = bytearray()
    at = CODE
    while len(body) < MIB // 4:
        body += b"\x75\x80\xe8" + struct.pack("<i", 0x800 - (at + 7))
        at += 7
    return elf(importing() + [Section(".text", bytes(body), PROGBITS, ALLOC | EXEC, CODE)])


def passing_functions():
    """Each passes what it is given on to the next one."""
    body, at = bytearray(), CODE
    starts = b""
    for i in range(MIB // 2 // 24):
        target = 0x800 if i == 0 else at - 6
        body += b"\xe8" + struct.pack("<i", target - (at + 5)) + b"\xc3"
        starts += struct.pack("<IBBHQQ", 1, 0x12, 0, 8, at, 6)
        at += 6
    return elf(importing() + [Section(".text", bytes(body), PROGBITS, ALLOC | EXEC, CODE),
                              Section(".symtab", bytes(24) + starts, SYMTAB, link=".strtab", entry=24),
                              Section(".strtab", b"\0function\0", STRTAB)])


# ---- counts and sizes ----
def section_count():
    data = bytearray(elf([code()]))
    at, = struct.unpack_from("<Q", data, 40)
    struct.pack_into("<H", data, 60, 0)
    struct.pack_into("<Q", data, at + 32, 1 << 62)
    return bytes(data)


def section_sizes():
    data = bytearray(elf([code(), Section(".debug_info", b"x"), Section(".debug_abbrev", b"x")]))
    at, = struct.unpack_from("<Q", data, 40)
    for i in range(1, 6):
        struct.pack_into("<Q", data, at + 64 * i + 32, MIB ** 3 - i)
    return bytes(data)


def package_slots():
    index = struct.pack("<IIII", 2, 8, 1 << 30, 1 << 31) + bytes(MIB)
    return dwarf(unit(b"\1" + ALL), UNIT, Section(".debug_cu_index", index))


def notes():
    data = struct.pack("<III", 0, 0, 0) * (MIB // 12)
    return elf([code()] + [Section(".note", data, NOTE, ALLOC, 0x400)])


BOMBS = [packed_zlib, packed_zstd, packed_liar, packed_many, section_names, packed_zdebug, packed_xz,
         packed_xz_dictionary, units, late_abbreviation, other_versions, shared_lines, shared_files, shared_ranges, shared_unit_ranges,
         overlapping_units, origins, deep_inlines, staggered_inlines, deep_entries, indirect_forms,
         long_abbreviation, empty_fields, line_rows, many_sections, stub_names, long_names, mangled_name,
         overlapping_sections, traced_calls, passing_functions, section_count, section_sizes, package_slots, notes]


def main():
    os.makedirs(sys.argv[1])
    for bomb in BOMBS:
        with open(os.path.join(sys.argv[1], bomb.__name__), "wb") as file:
            file.write(bomb())


main()

#!/usr/bin/env python3
"""elf_seeds.py ELF OUT: writes the sections of an ELF file as a list of parts, see elf_parts.h

With DEBUG=1 only those with code, symbols and debug information.
"""
import os
import re
import struct
import sys
import zlib


def sections(data):
    shoff, = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    heads = [struct.unpack_from("<IIQQQQIIQQ", data, shoff + i * size) for i in range(count)]
    strings = heads[names][4]
    for head in heads[1:]:
        start = strings + head[0]
        name = data[start:data.index(b"\0", start)].decode()
        bytes_ = b"" if head[1] == 8 else data[head[4]:head[4] + head[5]]
        if head[2] & 0x800:  # SHF_COMPRESSED
            bytes_ = zlib.decompress(bytes_[24:])
        yield name, head, bytes_


def names_of_parts():
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "elf_parts.h"), encoding="utf-8") as file:
        return re.findall(r'^\t\{"(\.[^"]*)", SHT', file.read(), re.M)


def main():
    numbers = {name: i for i, name in enumerate(names_of_parts())}
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    with open(sys.argv[2], "wb") as out:
        for name, head, bytes_ in sections(data):
            if name not in numbers or not bytes_:
                continue
            if os.environ.get("DEBUG") and not re.match(r"\.(debug|text|symtab|strtab|gnu_debug|note)", name):
                continue
            out.write(struct.pack("<BBHI", numbers[name], 0, len(bytes_), head[3] & 0xffffffff))
            out.write(bytes_)


main()

#!/bin/bash
# LONG=1 only: downloads programs and sources of two dozen Debian packages, and takes an emulator
#
# The statements of the same programs as Debian built them for aarch64, recorded in an emulator, judged by the same sources.
PROCESSOR=aarch64 exec bash tests/system/symbols/t_statement_sources.sh

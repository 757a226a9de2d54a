#!/bin/bash
# The rules of tests/lint hold, and lint notices when they do not.
tests/lint "$BUILD"
status=$?

# A copy of the tree with one defect for each rule; what lint says about it.
copy=$TMP/tree
mkdir -p "$copy/build"
cp -r ARCHITECTURE.md man base record rules sandbox shim wrappers decoder symbolizer tools tests "$copy"
cd "$copy" || exit 1
echo '#include "shim/host/sys.h"' >record/defect.h
: >base/defect.h
sed -i '/^| `record` /s/ |$/`tools\/run` |/; /^| `tools\/top`/d' ARCHITECTURE.md
rm sandbox/README
mkdir tests/full && (cd tests/full && seq 61 | xargs touch)
echo '#include <libunwind.h>' >shim/host/second_libunwind.h
echo '#pragma GCC diagnostic ignored "-Wformat-nonliteral"' >decoder/show/defect_pragma.h
echo 'static int defect(void) { return next_vfprintf(stdout, format, ap); }' >wrappers/defect_format.h
echo 'static char *defect(int fd) { return mmap(0, 1, 1, 1, fd, 0); }' >decoder/show/defect_map.h
echo 'static void defect(const char *name) { fprintf(stderr, "%s\\n", name); }' >decoder/show/defect_say.c
echo 'static void defect_unsafe(char *a, const char *b) { strcpy(a, b); }' >tools/run/defect_unsafe.h
seq 501 >decoder/show/long_file.h
echo '`t_defect`' >SECURITY.md
printf '/* see %s */\n' '/'work/elsewhere >decoder/show/foreign.h
echo 'PLAIN(int, printf, (void), 0)' >>wrappers/functions.def
printf '.Dd\n.Nonsense\n' >man/defect.1
sed -i /@FUNCTIONS@/d man/binlog.7.in
# A library with every defect: imports malloc, needs libm, exports too much, 2 KiB of thread state.
echo '#include <math.h>
#include <stdlib.h>
__thread char state[2048];
void *surplus(double *x) { *x = cos(*x); return malloc(1); }' >defect.c
${CC:-gcc} -shared -fPIC -o build/libbinlog.so defect.c -lm || exit 1
said=$(tests/lint build)
[ $? -eq 1 ] || { echo "not ok: lint fails for a tree with defects"; status=1; }
# No sentence of its holds there.
good=$(echo "$said" | sed -n 's/^ok: //p')
if [ -z "$good" ]; then
	echo "ok: lint notices a defect of every kind"
else
	echo "not ok: lint notices a defect of every kind"
	echo "$good" | sed 's/^/    not noticed: /'
	status=1
fi
exit $status

#!/bin/bash
# --output=csv: one table, or a table for each place that calls, which SQLite and Python read.
. tests/support/exports.sh
record_exports
cd "$TMP" || exit 1
for from in capture log.blog; do
	export_to "$from.csv.d" csv --utc "$from"
	"$show" -q --utc -o csv "$from" >"$from.csv"
	python3 "$consumers/csv_table.py" "$from.csv" "$from" "$from".csv.d/0008*.csv || failed=1
done
same_file "a packed log says the same as its captures" capture.csv log.blog.csv
same "in all its tables" "" "$(diff -r capture.csv.d log.blog.csv.d)"
calls=$("$show" -o json capture 2>/dev/null | grep -c '"message"')

# Every table into SQLite, by the names of the files.
cd capture.csv.d || exit 1
for table in *.csv; do
	printf '.import --csv %s "%s"\n' "$table" "${table%.csv}"
done >../import
sqlite3 ../db <../import 2>../complaint
same "SQLite takes every table without a word" "" "$(cat ../complaint)"
query() { sqlite3 ../db "$1"; }
same "the index counts all calls" "$calls" "$(query 'SELECT sum(calls) FROM "index"')"
wrong=
while IFS='|' read -r file count; do
	[ "$(query "SELECT count(*) FROM \"${file%.csv}\"")" = "$count" ] || wrong+=" $file"
done < <(query 'SELECT file, calls FROM "index"')
same "and each table has as many rows as it says" "" "$wrong"
worker=$(query "SELECT file FROM \"index\" WHERE format LIKE 'worker %'")
same "the sums of a table are those of the source" "400|600|$((4 * 4950 << 32))|14850.0" \
	"$(query "SELECT count(*), sum(worker), sum(request + 0), sum(took) FROM \"${worker%.csv}\"")"
same "a thread has its name" 100 "$(query "SELECT count(*) FROM \"${worker%.csv}\" WHERE thread = 'wörk\"er 2'")"
same "times are those of the lines" "$("$show" -q --utc --columns=time --format 'worker*' ../capture | sed 's/ *$//' | sort)" \
	"$(query "SELECT time FROM \"${worker%.csv}\"" | sort)"
same "integers keep all digits" "-9223372036854775808|9223372036854775807|18446744073709551615|9007199254740993" \
	"$(query "SELECT least, most, \"all\", size FROM \"0001-least-most-all-size\"")"
same "an empty text is not a null pointer" '1 1' "$(grep -c ',$' 0010*.csv) $(grep -c ',"",""$' 0008*.csv)"
cd ..
"$show" -q -L -o csv --to places capture
same "the index has places when asked" "inner|exports.c|$(grep -n 'printf("worker' "$here/victims/exports.c" | cut -d: -f1)" \
	"$(sqlite3 :memory: -cmd '.import --csv places/index.csv i' "SELECT caller, replace(source, rtrim(source, replace(source, '/', '')), ''), line
		FROM i WHERE format LIKE 'worker %'")"

# More places than are told apart.
{
	printf '#include <stdio.h>\nint main(void)\n{\n'
	seq -f '	printf("number%.0f=%%d\n", 1);' 0 10099
	printf '	return 0;\n}\n'
} >formats.c
$CC -w -o formats formats.c && BINLOG_DIR=formats.d LD_PRELOAD=$lib ./formats >/dev/null
"$show" -q -o csv --to formats.csv.d formats.d
same "beyond 10000 files the rest is one" "10002 201 10100" \
	"$(find formats.csv.d -type f | wc -l) $(wc -l <formats.csv.d/rest.csv) \
$(sqlite3 :memory: -cmd '.import --csv formats.csv.d/index.csv i' 'SELECT sum(calls) FROM i')"

# What is refused.
"$show" -q -o csv --to capture.csv.d capture 2>complaint
same "a directory with files is left alone" "2 1" "$? $(grep -c 'capture.csv.d: not opened: the directory is not empty' complaint)"
"$show" -q -o csv --to capture.csv capture 2>complaint
same "a file is none" "2 1" "$? $(grep -c 'capture.csv: not opened: it is there, and no directory' complaint)"
mkdir empty && "$show" -q -o csv --to empty capture
same "an empty one is used" 0 "$?"
same "what it holds is for its owner alone" 600 "$(stat -c %a empty/index.csv)"
mkdir other && (ulimit -f 4; "$show" -q -o csv --to full capture) 2>complaint
same "a file that cannot be written is said" "2 1" "$? $(grep -c '^full: not written: File too large' complaint)"
"$show" -q -o ctf capture 2>complaint
same "what is a directory needs --to" "2 1" "$? $(grep -c 'its output is a directory: say where with --to' complaint)"
printf '[output tables]\nto = tables\nstyle = csv\n[output lines]\nto = lines.json\nstyle = json\nutc = yes\n' >conf
"$show" -q -u --config conf capture
same "a directory and a file in one pass" "" "$(diff -r tables capture.csv.d; "$show" -q -u -o json capture | diff - lines.json)"
ln -s other link
"$show" -q -o csv --to link capture 2>complaint
same "a link is not followed" 2 "$?"
finish

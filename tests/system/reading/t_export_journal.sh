#!/bin/bash
# --output=journal: systemd-journal-remote takes it, and journalctl reads in it what binlog-show itself says.
. tests/support/exports.sh
unpacked
remote=/lib/systemd/systemd-journal-remote
[ -x $remote ] || remote=$DEBS/root/$remote
if [ ! -x $remote ] || ! command -v journalctl >/dev/null; then
	skip "systemd-journal-remote: $(not_unpacked)"
	exit 0
fi
record_exports
cd "$TMP" || exit 1
import() { # EXPORT: its entries, in EXPORT.json
	$remote -o "$TMP/$1.journal" - <"$1" >"$1.said" 2>&1 || not_ok "systemd-journal-remote takes it" "$(cat "$1.said")"
	journalctl -q --file="$1.journal" -o json --all --no-pager >"$1.json"
}
for from in capture log.blog; do
	export_to "$from.export" journal "$from"
	import "$from.export"
	python3 "$consumers/journal.py" "$from.export.json" "$from" || failed=1
done
same_file "a packed log says the same as its captures" capture.export log.blog.export

export_to places journal -L capture
import places
same "--location: file, line and function are those of the columns" \
	"$("$show" -q --columns=stream,caller,location capture | sed 's/  */ /g; s/ *$//; /^- /d; s/^[^ ]* //' | sort | uniq -c)" \
	"$(jq -r '"\(.CODE_FUNC) \(.CODE_FILE | split("/") | last):\(.CODE_LINE)"' places.json | sort | uniq -c)"
finish

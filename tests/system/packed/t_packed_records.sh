#!/bin/bash
# A packed log says what the captures say: every message with its ticks, process, thread, stream, format, stack and
# arguments, as another reader of both formats finds them.
. tests/support/lib.sh
. tests/packed/common.sh

say_everything
for capture in "$TMP"/c/*; do
	name=$(basename "$capture")
	for how in batches plain; do
		log=$TMP/$name.$how.blog
		option=()
		[ $how = batches ] || option=(--plain)
		pack "$log" "$capture" "${option[@]}"
		verdict $? "$name: it is packed ($how)" "$(cat "$log.complaint")"
		said=$(python3 "$packed/compare_log.py" "$log" "$capture" 2>&1)
		verdict $? "$name: the log in $how says what the capture says (${said:0:40})" "$said"
	done
done
finish

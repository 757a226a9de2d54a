#!/bin/bash
# --output=msgpack: maps that libraries of other languages read, with what binlog-show itself says.
. tests/exports.sh
record_exports
cd "$TMP" || exit 1
for from in capture log.blog; do
	export_to "$from.msgpack" msgpack "$from"
	python3 "$consumers/msgpack_maps.py" "$from.msgpack" "$from" || failed=1
done
same_file "a packed log says the same as its captures" capture.msgpack log.blog.msgpack

# Another library, in JavaScript, with places and stacks: the same as in JSON.
export_to places.msgpack msgpack -L -S capture
export_to places.json json -L -S capture
if npm_package @msgpack/msgpack 3.1.2; then
	cat >read.js <<'END'
const {decodeMulti} = require(process.argv[2]);
const fs = require('fs');
const maps = [...decodeMulti(fs.readFileSync('places.msgpack'), {useBigInt64: true})];
for (const map of maps)
	console.log([map.pid, map.caller ?? '-', map.file ?? '-', map.line ?? '-', map.format ?? '-', map.count ?? '-',
		...(map.stack ?? []).map((frame) => `${frame.function}@${frame.address}`)].join(' ').replace(/\s+/g, ' '));
END
	jq -r '[.pid, .caller // "-", .file // "-", .line // "-", .format // "-", .count // "-", (.stack // [] | .[] | "\(.function)@\(.address)")] |
		join(" ")' places.json | tr -s ' \n' '\n' | grep -v '@' >wanted
	node read.js "$package" | tr -s ' \n' '\n' | grep -v '@' >got
	same_file "a library of JavaScript reads places and formats as they are in JSON" wanted got
else
	skip "@msgpack/msgpack of npm cannot be had"
fi
finish

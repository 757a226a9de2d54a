#!/bin/bash
# --output=msgpack: maps that libraries of other languages read, with what binlog-show itself says.
. tests/support/exports.sh
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
if ! is_long; then
	: # what npm has is asked for by `make check-long`
elif npm_package @msgpack/msgpack 3.1.2; then
	cat >read.js <<'END'
const fs = require('fs');
const {decodeMulti} = require(process.argv[2]);
const maps = [...decodeMulti(fs.readFileSync('places.msgpack'), {useBigInt64: true})];
const lines = fs.readFileSync('places.json', 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line));
const place = (frame) => [frame.function, frame.file, frame.line, frame.module, BigInt(frame.address)].join();
let wrong = maps.length !== lines.length;
lines.forEach((line, i) => {
	for (const key of ['program', 'pid', 'tid', 'thread', 'stream', 'priority', 'caller', 'file', 'line', 'format', 'event', 'words'])
		wrong += line[key] !== maps[i][key];
	wrong += line.stack.map(place).join() !== maps[i].stack.map(place).join();
	wrong += (line.args ?? []).map((arg) => arg.name + arg.type).join() !== (maps[i].args ?? []).map((arg) => arg.name + arg.type).join();
});
console.log(Number(wrong), maps.length);
END
	same "a library of JavaScript reads the same as in JSON, places and stacks, too" "0 $(wc -l <places.json)" "$(node read.js "$package")"
else
	skip "@msgpack/msgpack of npm cannot be had"
fi
finish

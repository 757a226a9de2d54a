#!/bin/bash
# Packed logs are what record/packed.h says: frames, checksums, MessagePack by two other libraries, numbers of tags and
# fields, definitions before their use, limits.
. tests/support/lib.sh
. tests/packed/common.sh

# What the format is made of, by those who know: CRC-32 as gzip has it, of the end of a log.
record='\x0c\x83\x00\x05\x01\x00\x02\x03'
crc=$(printf "$record" | gzip -c | tail -c 8 | head -c 4 | od -A n -t x4 | tr -d ' ')
frame=$(python3 -c "import sys; sys.path.insert(0, '$packed'); import packed_log
print(packed_log.make_frame(12, {'LOG': 5, 'PART': 0, 'MESSAGES': 3}).hex())")
same "CRC-32 is that of gzip, big-endian, before the raw" "c1ce${crc}c1a8$(printf "$record" | od -A n -t x1 | tr -d ' ')" "$frame"
crc=$(printf 123456789 | gzip -c | tail -c 8 | head -c 4 | od -A n -t x4 | tr -d ' ')
same "CRC-32 of 123456789 is cbf43926" cbf43926 "$crc"

say_everything
say parts "$TMP/varying" "$([ -n "${LONG:-}" ] && echo 3000000 || echo 600000)"
for capture in "$TMP"/c/*; do
	name=$(basename "$capture")
	for how in "" --plain; do
		[ "$name $how" != "parts --plain" ] || continue
		log=$TMP/$name$how.blog
		pack "$log" "$capture" $how || not_ok "$name: it is packed" "$(cat "$log.complaint")"
		said=$(python3 "$packed/check_format.py" "$log" 2>&1)
		verdict $? "$name $how: every byte of the log is as it should be (${said:0:50})" "$said"
	done
done
finish

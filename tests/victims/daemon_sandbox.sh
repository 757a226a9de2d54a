#!/bin/bash
# daemon_sandbox.sh MESSAGES COMMAND...: in new mount, network and process
# namespaces, runs the command with a /dev/log of its own; every message that
# arrives there becomes a line of MESSAGES.
set -e
here=$(cd "$(dirname "$0")" && pwd)
messages=$1
shift
dev=$messages.dev
mkdir "$dev"
mount -t tmpfs none "$dev"
for node in null zero full random urandom; do
	: >"$dev/$node"
	mount --bind "/dev/$node" "$dev/$node"
done
mount --rbind "$dev" /dev
python3 "$here/daemon_sink.py" "$messages" &
sink=$!
for ((i = 0; i < 500; i++)); do
	[ ! -S /dev/log ] || break
	sleep 0.01
done
: >"$messages.lock"
env "$@" "$messages.lock" || echo "status $?" >>"$messages"
flock -w 20 "$messages.lock" true || echo "never ends" >>"$messages"
kill -TERM $sink
wait $sink

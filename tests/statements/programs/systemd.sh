# Tools of systemd, at debug level, what they are asked and what they cannot do here.
needs="systemd-tmpfiles systemd-sysusers systemd-analyze journalctl systemd-id128"
packages=systemd
life_work() {
	export SYSTEMD_LOG_LEVEL=debug SYSTEMD_LOG_TARGET=console SYSTEMD_LOG_COLOR=0
	mkdir -p root/etc root/tmp units
	cp /etc/passwd /etc/group root/etc
	printf 'd /tmp/made 0755 root root -\nf /tmp/made/file 0644 root root - words\nL /tmp/link - - - - /tmp/made\nq nonsense\nz /tmp/* 0700\nr /tmp/absent\n' >files.conf
	printf 'u maker - "Who makes" /home\ng makers -\nm maker makers\nnonsense\n' >users.conf
	printf '[Unit]\nDescription=one\nAfter=nothing.service\nNonsense=1\n[Service]\nExecStart=/bin/true\nType=oneshot\nRestart=nonsense\n' >units/one.service
	printf '[Unit]\nRequires=one.service\n[Service]\nExecStart=/no/such/program\n' >units/two.service
	run systemd-tmpfiles --root="$PWD/root" --create --remove --clean "$PWD/files.conf"
	run systemd-sysusers --root="$PWD/root" "$PWD/users.conf"
	run systemd-analyze verify "$PWD/units/one.service" "$PWD/units/two.service"
	run systemd-analyze calendar weekly
	run systemd-analyze timespan 1h30
	run systemd-analyze unit-paths
	run journalctl -D "$PWD" -n 1
	run journalctl --nonsense
	run systemctl is-active nothing
	run systemctl --root="$PWD/root" enable "$PWD/units/one.service"
	run systemd-id128 new
	run systemd-cat echo words
	run busctl list
	run loginctl
	run systemd-detect-virt
	run systemd-escape a b/c
	run hostnamectl
	run timedatectl
}

# A resolver without a network.
needs="unbound dig unbound-control"
packages=unbound
header="^\\[[0-9]+\\] unbound\\[[0-9:]+\\] [a-z]+: "
life_work() {
	free_port
	cat >conf <<-E2
	server:
		verbosity: 4
		interface: 127.0.0.1
		port: $port
		username: ""
		chroot: ""
		directory: "$PWD"
		pidfile: "$PWD/pid"
		use-syslog: no
		do-daemonize: no
		module-config: "iterator"
		log-queries: yes
		log-replies: yes
		local-zone: "test." static
		local-data: "name.test. A 192.0.2.1"
		local-data: "name.test. TXT 'words'"
		do-not-query-localhost: no
	forward-zone:
		name: "."
		forward-addr: 127.0.0.1@1
	remote-control:
		control-enable: yes
		control-interface: $PWD/control
	E2
	start unbound -d -c conf
	await "unbound" listens
	for query in name.test nothing.test name.test; do dig +tries=1 +time=2 +short -p $port @127.0.0.1 $query; done
	dig +tries=1 +time=2 +short -p $port @127.0.0.1 name.test TXT
	dig +tries=1 +time=2 +short -p $port @127.0.0.1 outside.example
	dig +tcp +tries=1 +time=2 +short -p $port @127.0.0.1 other.example
	unbound-control -c conf status >/dev/null
	unbound-control -c conf reload >/dev/null
	await "unbound" listens
	dig +tries=1 +time=2 +short -p $port @127.0.0.1 name.test
	port=
	stop TERM
}

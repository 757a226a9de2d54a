# A name server with a zone of its own.
needs="named dig"
packages=bind9
header="^[-A-Za-z0-9]+ [0-9:.]+ ([-a-z]+: )?([a-z]+( [0-9]+)?: )?
^[-A-Za-z0-9]+ [0-9:.]+ ([-a-z]+: )?([a-z]+( [0-9]+)?: )?(zone [^:]*: |client @[^:]*: |view [^:]*: )"
life_work() {
	free_port
	cat >zone <<-E2
	\$TTL 60
	@ IN SOA ns.example.test. admin.example.test. 1 60 60 60 60
	@ IN NS ns
	ns IN A 127.0.0.1
	name IN A 192.0.2.1
	other IN CNAME name
	E2
	sed 's/IN A 192.*/IN A nonsense/' zone >broken
	cat >conf <<-E2
	options {
		directory "$PWD"; listen-on port $port { 127.0.0.1; }; listen-on-v6 { none; }; pid-file "$PWD/pid";
		session-keyfile "$PWD/session"; recursion no; dnssec-validation no; allow-transfer { any; }; querylog yes;
	};
	controls { };
	logging { channel all { stderr; severity debug 3; print-time yes; print-category yes; print-severity yes; }; category default { all; };
		category queries { all; }; category general { all; }; };
	zone "example.test" { type primary; file "zone"; };
	zone "broken.test" { type primary; file "broken"; };
	zone "absent.test" { type primary; file "absent"; };
	zone "second.test" { type secondary; primaries port 1 { 127.0.0.1; }; file "second"; };
	E2
	start named -g -c "$PWD/conf" -n 1 -d 3
	await "named" listens
	for query in name.example.test other.example.test nothing.example.test name.broken.test outside.example; do
		dig +tries=1 +time=2 +short -p $port @127.0.0.1 $query
	done
	dig +tries=1 +time=2 +short -p $port @127.0.0.1 example.test AXFR
	sed -i 's/ 1 60 / 2 60 /' zone
	kill -s HUP $daemon
	sleep 0.5
	port=
	stop TERM
}

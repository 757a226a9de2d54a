# A proxy whose server comes and goes.
needs="haproxy curl python3"
packages=haproxy
header="^\\[[A-Z]+\\] *(\\([0-9]+\\) )?: 
^<[0-9]+>[A-Z].{14} haproxy\\[[0-9]+\\]: 
^[0-9a-f]{8}:"
life_work() {
	local behind i
	free_port
	behind=$port
	free_port
	mkdir www
	seq 500 >www/page
	cat >conf <<-E2
	global
		log stdout format raw local0 debug
		stats socket $PWD/admin mode 600 level admin
	defaults
		mode http
		log global
		option httplog
		timeout connect 1s
		timeout client 2s
		timeout server 2s
	frontend front
		bind 127.0.0.1:$port
		default_backend back
	backend back
		option httpchk
		server one 127.0.0.1:$behind check inter 100
		server two 127.0.0.1:1 check inter 100
	listen quiet
		bind $PWD/socket
		mode tcp
		server three 127.0.0.1:$behind
	E2
	sed 's/mode http/mode nonsense/' conf >wrong
	run haproxy -c -f wrong
	run haproxy -c -f conf
	run haproxy -v
	python3 -m http.server --bind 127.0.0.1 --directory www $behind >server 2>&1 &
	i=$!
	start haproxy -W -d -f conf
	await "haproxy" listens
	sleep 0.5
	for path in page nothing page?query=1; do
		curl -s -o /dev/null "http://127.0.0.1:$port/$path"
	done
	kill $i
	sleep 0.6
	curl -s -o /dev/null "http://127.0.0.1:$port/page"
	port=
	kill -s USR2 $daemon
	sleep 0.5
	stop TERM
}

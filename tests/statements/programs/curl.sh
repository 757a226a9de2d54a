# Requests, with all that is said of them, to a server that is recorded elsewhere.
needs="curl python3"
packages="curl"
header="^(\\* |curl: \\([0-9]+\\) |Warning: )"
life_work() {
	local path
	mkdir www
	seq 500 >www/page
	free_port
	python3 -m http.server --bind 127.0.0.1 --directory www $port >server 2>&1 &
	daemon=$!
	await "the server" listens
	for path in page nothing page?query=1; do
		run curl -m 5 -v -o got "http://127.0.0.1:$port/$path"
	done
	run curl -m 5 -v -I "http://localhost:$port/page"
	run curl -m 5 -v -d "a body" -o got "http://127.0.0.1:$port/page"
	run curl -m 5 -v --http2 -o got "http://127.0.0.1:$port/page" "http://127.0.0.1:$port/page"
	run curl -m 5 -v -L --max-redirs 1 -r 0-10 -o got "http://127.0.0.1:$port/page"
	run curl -m 5 -v -k "https://127.0.0.1:$port/page"
	run curl -m 5 -v "http://127.0.0.1:1/"
	run curl -m 5 -v "http://name.invalid/"
	run curl -m 5 -v "ftp://127.0.0.1:1/"
	run curl -m 5 -v "nonsense://127.0.0.1/"
	run curl -m 5 -v -m 1 "telnet://127.0.0.1:$port"
	run curl -m 5 -v -f "http://127.0.0.1:$port/nothing"
	run curl -m 5 -v -o /nowhere/at/all "http://127.0.0.1:$port/page"
	run curl --nonsense
	run curl
	run curl -m 5 -v "file:///etc/nothing"
	run curl -m 5 -v -T www/page "http://127.0.0.1:$port/up"
	run curl -m 5 -v -u user:password "http://user@127.0.0.1:$port/page" -o got
	run curl -m 5 -v --proxy "http://127.0.0.1:$port" "http://name.invalid/"
	kill $daemon
}

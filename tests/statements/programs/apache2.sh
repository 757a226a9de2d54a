# A web server whose error log has everything but its dumps.
needs="apache2 curl"
packages="apache2-bin"
dialect=apr
header="^\\[.*?\\] \\[.*?\\] \\[.*?\\] ([a-z_]+\\.c\\([0-9]+\\): )?(\\[client .*?\\] )?
^\\[.*?\\] \\[.*?\\] \\[.*?\\] ([a-z_]+\\.c\\([0-9]+\\): )?(\\([0-9]+\\)[^:]*: )?(\\[client .*?\\] )?(AH[0-9]+: )?"
life_work() {
	local path modules
	modules=$(prefix_of apache2)/usr/lib/apache2/modules
	mkdir www
	seq 500 >www/page
	free_port
	cat >conf <<-E2
	ServerRoot $PWD
	ServerName localhost
	Listen 127.0.0.1:$port
	PidFile $PWD/pid
	DefaultRuntimeDir $PWD
	ErrorLog $PWD/error.log
	LogLevel trace4
	LoadModule mpm_event_module $modules/mod_mpm_event.so
	LoadModule authz_core_module $modules/mod_authz_core.so
	LoadModule dir_module $modules/mod_dir.so
	LoadModule mime_module $modules/mod_mime.so
	LoadModule alias_module $modules/mod_alias.so
	LoadModule rewrite_module $modules/mod_rewrite.so
	LoadModule proxy_module $modules/mod_proxy.so
	LoadModule proxy_http_module $modules/mod_proxy_http.so
	TypesConfig /dev/null
	DocumentRoot $PWD/www
	<Directory $PWD/www>
	Require all granted
	</Directory>
	<Location /closed>
	Require all denied
	</Location>
	Redirect /old /page
	ProxyPass /behind http://127.0.0.1:1/
	<Location /made>
	RewriteEngine on
	RewriteRule made/(.*) /page
	</Location>
	E2
	[ "$(id -u)" -ne 0 ] || { echo "User nobody"; echo "Group nogroup"; } >>conf
	run apache2 -d . -f conf -t
	start apache2 -d . -f conf -D FOREGROUND
	await "apache" listens
	for path in page page nothing old closed made/it behind page?query=1; do
		curl -s -o /dev/null -w '%{http_code}\n' "http://127.0.0.1:$port/$path"
	done
	curl -s -d "a body" -o /dev/null "http://127.0.0.1:$port/page"
	printf 'nonsense\r\n\r\n' >"/dev/tcp/127.0.0.1/$port"
	kill -s USR1 $daemon
	sleep 0.5
	curl -s -o /dev/null "http://127.0.0.1:$port/page"
	port=
	stop TERM
}

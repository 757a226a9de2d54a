# An agent that is asked a few things.
needs="snmpd snmpget"
packages="snmpd"
life_work() {
	free_port
	printf 'rocommunity public\nsyslocation here\nnonsense there\n' >conf
	start snmpd -f -Le -C -c conf -d -I system_mib -Dtrap,init,snmpd udp:127.0.0.1:$port
	sleep 1
	snmpget -v2c -c public -t 2 127.0.0.1:$port .1.3.6.1.2.1.1.6.0
	snmpget -v2c -c wrong -t 1 -r 0 127.0.0.1:$port .1.3.6.1.2.1.1.6.0
	port=
	stop TERM
}

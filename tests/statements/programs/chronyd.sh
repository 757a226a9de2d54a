# A clock that nobody sets: servers that are not there.
needs=chronyd
packages=chrony
where=own
header="^[-0-9A-Z]+T[0-9:]+Z "
life_work() {
	cat >conf <<-E2
	server 127.0.0.1 port 1 iburst
	local stratum 10
	driftfile $PWD/drift
	pidfile $PWD/pid
	bindcmdaddress $PWD/control
	cmdport 0
	E2
	echo 'nonsense here' >wrong
	run chronyd -x -d -d -f wrong -u root
	run chronyd -x -Q -t 2 -f conf -u root
	start chronyd -x -d -d -f conf -u root -L 0
	sleep 2
	stop TERM
}

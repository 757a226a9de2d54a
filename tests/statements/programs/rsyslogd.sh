# A log daemon: rules that are right and wrong, messages of programs, its own.
needs="rsyslogd logger"
packages=rsyslog
header="^(rsyslogd: )?
^[^ ]+ [^ ]+ rsyslogd: 
"
life_work() {
	cat >conf <<-E2
	module(load="imuxsock" SysSock.Use="off")
	input(type="imuxsock" Socket="$PWD/socket")
	global(workDirectory="$PWD")
	template(name="plain" type="string" string="%syslogtag%%msg%\n")
	*.* action(type="omfile" file="$PWD/all" template="plain")
	mail.* action(type="omfile" file="/proc/nowhere/all")
	kern.* action(type="omnothing")
	auth.* nonsense here
	E2
	local modules
	modules=$(echo "$(prefix_of rsyslogd)"/usr/lib/*/rsyslog)
	run rsyslogd -N1 -f conf -M "$modules" -i none
	sed -i '/nonsense\|omnothing/d' conf
	start rsyslogd -n -f conf -M "$modules" -i "$PWD/pid"
	await "rsyslogd" test -S socket
	local i
	for i in 1 2 3 4 5; do
		logger -u "$PWD/socket" -t client "message $i"
		logger -u "$PWD/socket" -p mail.info -t mailer "mail $i"
	done
	await "its file" grep -q 'message 5' all
	kill -s HUP $daemon
	sleep 0.2
	stop TERM
	start rsyslogd -n -f conf -M "$modules" -i "$PWD/pid"
	await "rsyslogd" test -S socket
	logger -u "$PWD/socket" -t client "message 6"
	await "its file" grep -q 'message 6' all
	stop TERM
}

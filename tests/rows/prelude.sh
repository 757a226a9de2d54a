# What the commands of the table may use; they run in an empty directory.
#   program NAME [OPTION...]  compiles its standard input, after the usual headers
#   record COMMAND...         records it below ./d, with its output in ./out and ./err
#   shows PATTERN COMMAND...  what the command says has such a line
#   hides PATTERN COMMAND...  it has none
#   $server                   the capture of tests/victims/server.c, which is $bin/server
#   $log                      the same, packed
# shellcheck shell=sh disable=SC2034
set -eu
server=$ROWS_COMMON/d
log=$ROWS_COMMON/log.blog
bin=$ROWS_COMMON
lib=$BUILD/libbinlog.so
program() {
	program_name=$1
	shift
	{
		printf '#include <%s.h>\n' stdio stdlib string unistd errno err syslog signal wchar locale \
			pthread fcntl dlfcn time sys/wait
		cat
	} >"$program_name.c"
	gcc -std=gnu11 -D_GNU_SOURCE -g -O1 -w -o "$program_name" "$program_name.c" "$@" -pthread -ldl
}
record() { LD_PRELOAD=$lib BINLOG_DIR=$PWD/d "$@" >out 2>err </dev/null || [ $? -lt 2 ] || [ -e d ]; }
shows() {
	shows_pattern=$1
	shift
	"$@" >said 2>&1 || [ $? -le 1 ]
	grep -aqE -e "$shows_pattern" said || {
		echo "no $shows_pattern in:"
		head -n 5 said
		return 1
	}
}
hides() {
	shows_pattern=$1
	shift
	"$@" >said 2>&1 || [ $? -le 1 ]
	! grep -aqE -e "$shows_pattern" said
}

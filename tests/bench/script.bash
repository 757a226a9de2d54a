#!/bin/bash
# script.bash [ROUNDS]: an ordinary long script, which says a lot and starts nothing but shells
#
# What it says depends on nothing but this file. Run by t_tools.sh, which compares it, and by bench/tools, which
# measures it: arithmetic, strings, arrays, references, here documents, traps, loops that read, patterns.
rounds=${1:-1}
shopt -s extglob
LC_ALL=C
TZ=UTC
declare -i total=0
declare -A count=()
declare -a journal=()

title() { # TEXT
	local text="== $1 "
	while ((${#text} < 60)); do
		text+='='
	done
	echo "$text"
	journal+=("$1")
}

note() { # FORMAT [ARGUMENT...]
	# shellcheck disable=SC2059
	printf "$@"
	count[${FUNCNAME[1]}]=$((${count[${FUNCNAME[1]}]:-0} + 1))
	total+=1
}

# ---- numbers ----
sieve() { # LIMIT
	local -i i j limit=$1
	local -a composite=() primes=()
	for ((i = 2; i <= limit; i++)); do
		[ -z "${composite[i]}" ] || continue
		primes+=("$i")
		for ((j = i * i; j <= limit; j += i)); do
			composite[j]=1
		done
	done
	note '%5d %5d %5d %5d %5d %5d %5d %5d\n' "${primes[@]}"
}

gcd() { # A B
	local -i a=$1 b=$2 rest
	while ((b)); do
		rest=$((a % b))
		a=$b
		b=$rest
	done
	REPLY=$a
}

fibonacci() { # N, by recursion
	if (($1 < 2)); then
		REPLY=$1
		return
	fi
	local first
	fibonacci $(($1 - 1))
	first=$REPLY
	fibonacci $(($1 - 2))
	REPLY=$((REPLY + first))
}

collatz() { # START
	local -i n=$1 steps=0 top=$1
	while ((n != 1)); do
		((n = n % 2 ? 3 * n + 1 : n / 2))
		((n > top && (top = n), ++steps))
	done
	note 'collatz %d: %d steps, at most %d\n' "$1" $steps $top
}

add() { # A B: sums of any length
	local a=$1 b=$2 sum='' carry=0 digit
	while [ -n "$a$b" ] || ((carry)); do
		digit=$((carry + ${a: -1:1}0 / 10 + ${b: -1:1}0 / 10))
		carry=$((digit / 10))
		sum=$((digit % 10))$sum
		a=${a%?}
		b=${b%?}
	done
	REPLY=$sum
}

powers() {
	local power=1 i
	for ((i = 1; i <= 100; i++)); do
		add "$power" "$power"
		power=$REPLY
		((i % 10)) || note '2^%-3d = %40s\n' $i "$power"
	done
}

bits() {
	local -i n
	for n in 0 1 5 127 128 255 256 65535 -1; do
		note '%6d & 0x7f = %3d, | 8 = %6d, ^ 3 = %6d, << 4 = %8d, >> 1 = %6d, ~ = %6d\n' \
			$n $((n & 0x7f)) $((n | 8)) $((n ^ 3)) $((n << 4)) $((n >> 1)) $((~n))
	done
	note 'bases: %d %d %d %d %o %X %#x\n' $((16#ff)) $((8#17)) $((2#1011)) $((36#zz)) 64 48879 48879
}

in_base() { # NUMBER BASE
	local digits=0123456789abcdefghijklmnopqrstuvwxyz text=
	local -i n=$1 base=$2
	((n)) || text=0
	while ((n)); do
		text=${digits:n % base:1}$text
		((n /= base))
	done
	REPLY=$text
}

roman() { # NUMBER
	local -i n=$1 i
	local -a value=(1000 900 500 400 100 90 50 40 10 9 5 4 1)
	local -a letter=(M CM D CD C XC L XL X IX V IV I)
	REPLY=
	for i in "${!value[@]}"; do
		while ((n >= value[i])); do
			REPLY+=${letter[i]}
			((n -= value[i]))
		done
	done
}

floats() {
	local value text
	for value in 0 1 -1.5 3.14159265 1e10 -2.5e-7 123456.789; do
		printf -v text '%8.2f|%-12.4e|%g|%+.1f' "$value" "$value" "$value" "$value"
		note '%-14s -> %s\n' "$value" "$text"
	done
}

hanoi() { # DISCS FROM TO BY
	(($1)) || return
	hanoi $(($1 - 1)) "$2" "$4" "$3"
	note 'disc %d from %s to %s\n' "$1" "$2" "$3"
	hanoi $(($1 - 1)) "$4" "$3" "$2"
}

# ---- strings ----
reverse() { # TEXT
	local i
	REPLY=
	for ((i = ${#1}; i > 0; i--)); do
		REPLY+=${1:i - 1:1}
	done
}

caesar() { # TEXT SHIFT
	local from=abcdefghijklmnopqrstuvwxyz i char before
	REPLY=
	for ((i = 0; i < ${#1}; i++)); do
		char=${1:i:1}
		case $char in
		[a-z])
			before=${from%%"$char"*}
			char=${from:(${#before} + $2) % 26:1}
			;;
		[A-Z]) char=${char,} ;;
		*) ;;
		esac
		REPLY+=$char
	done
}

distance() { # A B: Levenshtein's
	local -i i j cost best
	local -a row=() next
	for ((j = 0; j <= ${#2}; j++)); do
		row[j]=$j
	done
	for ((i = 1; i <= ${#1}; i++)); do
		next=("$i")
		for ((j = 1; j <= ${#2}; j++)); do
			[ "${1:i - 1:1}" = "${2:j - 1:1}" ]
			cost=$?
			best=$((row[j - 1] + cost))
			((row[j] + 1 < best && (best = row[j] + 1)))
			((next[j - 1] + 1 < best && (best = next[j - 1] + 1)))
			next[j]=$best
		done
		row=("${next[@]}")
	done
	REPLY=${row[${#2}]}
}

expansions() {
	local path=/usr/share/doc/package-1.2.3.tar.gz unset_one empty='' list='a:b::c'
	note '<%s> <%s> <%s> <%s>\n' "${path##*/}" "${path%/*}" "${path%%.*}" "${path#*-}"
	note '<%s> <%s> <%s>\n' "${path//\//|}" "${path/#\/usr/~}" "${path/%gz/xz}"
	note '<%s> <%s> <%s>\n' "${unset_one:-default}" "${empty:+set}" "${unset_one-unset}"
	note '<%s> <%s> <%s> <%d>\n' "${path:5:5}" "${path: -6}" "${path^^}" ${#path}
	note '<%s> <%s>\n' "${path//[aeiou]/}" "${path//+([0-9])/N}"
	local IFS=:
	# shellcheck disable=SC2086
	set -- $list
	note '%d fields:' $#
	note ' <%s>' "$@"
	note '\n'
	note 'quoted: %q %q %s\n' 'it is' $'tab\there' "${list@Q}"
}

matches() {
	local line expression='^([a-z]+)=([0-9]+)(;(.*))?$'
	while IFS= read -r line; do
		if [[ $line =~ $expression ]]; then
			note 'key %-6s value %5d rest <%s>\n' "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" "${BASH_REMATCH[4]}"
		elif [[ $line == \#* ]]; then
			note 'comment of %d\n' ${#line}
		else
			note 'nothing in "%s"\n' "$line"
		fi
	done <<-'end'
		width=80
		height=25;in lines
		# a comment
		Depth=3
		depth=;
		x=1;y=2;z=3
	end
}

kinds() {
	local word
	for word in 12 0x1f -7 3.5 hello Hello /etc file.txt file.tar.gz '' 'two words' '*'; do
		case $word in
		'') note 'empty\n' ;;
		?(-)+([0-9])) note '%s: integer\n' "$word" ;;
		0x+([0-9a-f])) note '%s: hexadecimal, %d\n' "$word" "$word" ;;
		?(-)*([0-9]).+([0-9])) note '%s: fraction\n' "$word" ;;
		/*) note '%s: path\n' "$word" ;;
		*.@(gz|xz|zip)) note '%s: packed\n' "$word" ;;
		*.*) note '%s: file\n' "$word" ;;
		*[[:space:]]*) note '%s: has spaces\n' "$word" ;;
		[A-Z]*) note '%s: name\n' "$word" ;&
		[a-zA-Z]*) note '%s: word\n' "$word" ;;
		*) note '%s: something\n' "$word" ;;
		esac
	done
}

# ---- arrays ----
random() { # LIMIT: the same numbers in every run
	seed=$(((seed * 1103515245 + 12345) & 0x7fffffff))
	REPLY=$((seed / 65536 % $1))
}

quicksort() { # NUMBER...: leaves them in the array sorted
	if (($# < 2)); then
		sorted=("$@")
		return
	fi
	local -a less=() more=()
	local pivot=$1 item
	shift
	for item; do
		if ((item < pivot)); then
			less+=("$item")
		else
			more+=("$item")
		fi
	done
	quicksort "${less[@]}"
	less=("${sorted[@]}")
	quicksort "${more[@]}"
	sorted=("${less[@]}" "$pivot" "${sorted[@]}")
}

sorting() {
	local -a numbers=()
	local -i i
	seed=42
	for ((i = 0; i < 60; i++)); do
		random 1000
		numbers+=("$REPLY")
	done
	note 'unsorted: %s\n' "${numbers[*]}"
	quicksort "${numbers[@]}"
	note 'sorted:   %s\n' "${sorted[*]}"
	local -n alias=sorted
	note 'of them: %s ... %s, %d\n' "${alias[*]:0:3}" "${alias[*]: -3}" ${#alias[@]}
	unset 'alias[0]'
	for i in "${!alias[@]}"; do
		((i % 20)) || note '%d has %d\n' $i "${alias[i]}"
	done
}

words() {
	local -A seen=()
	local -a order=()
	local word
	while read -r -d ' ' word || [ -n "$word" ]; do
		word=${word//[^a-z]/}
		[ -n "${seen[x$word]}" ] || order+=("$word")
		seen[x$word]=$((${seen[x$word]:-0} + 1))
	done <<<"the quick brown fox jumps over the lazy dog and the dog, being lazy, lets the fox be"
	for word in "${order[@]}"; do
		note '%-8s %s\n' "$word" "${seen[x$word]//?/*}${seen[x$word]}"
	done
}

matrix() {
	local -A a=()
	local -i i j k n=6 sum
	for ((i = 0; i < n; i++)); do
		for ((j = 0; j < n; j++)); do
			a[$i,$j]=$((i * n + j))
		done
	done
	for ((i = 0; i < n; i++)); do
		for ((j = 0; j < n; j++)); do
			sum=0
			for ((k = 0; k < n; k++)); do
				sum+=$((${a[$i,$k]} * ${a[$k,$j]}))
			done
			note '%7d' $sum
		done
		note '\n'
	done
}

queens() { # ROW: how many ways to place them
	local -i line=$1 column=0 other=0
	if ((line == size)); then
		ways=$((ways + 1))
		((ways > 3)) || note 'queens at %s\n' "${at[*]}"
		return
	fi
	for ((column = 0; column < size; column++)); do
		for ((other = 0; other < line; other++)); do
			((at[other] != column && line - other != column - at[other] && line - other != at[other] - column)) || break
		done
		((other == line)) || continue
		at[line]=$column
		queens $((line + 1))
	done
}

life() { # GENERATIONS, on a torus
	local -A cells=() alive
	local -i generation x y dx dy near width=24 height=8
	for x in 1 26 48 49 50 60 84 108 100 101 102; do
		cells[$x]=1
	done
	for ((generation = 0; generation < $1; generation++)); do
		alive=()
		for ((y = 0; y < height; y++)); do
			for ((x = 0; x < width; x++)); do
				near=0
				for dy in 7 0 1; do
					for dx in 23 0 1; do
						near+=${cells[$(((y + dy) % height * width + (x + dx) % width))]:-0}
					done
				done
				if ((near == 3)) || ((near == 4 && ${cells[$((y * width + x))]:-0})); then
					alive[$((y * width + x))]=1
					printf '#'
				else
					printf .
				fi
			done
			echo
		done
		echo "-- generation $generation, ${#alive[@]} alive"
		cells=()
		for x in "${!alive[@]}"; do
			cells[$x]=1
		done
	done
}

# ---- the shell itself ----
options() {
	local OPTIND=1 OPTARG option
	while getopts :ab:c option "$@"; do
		case $option in
		b) note 'option b with %s\n' "$OPTARG" ;;
		:) note 'option %s lacks its value\n' "$OPTARG" ;;
		\?) note 'no option %s\n' "$OPTARG" ;;
		*) note 'option %s\n' "$option" ;;
		esac
	done
	shift $((OPTIND - 1))
	note 'left: %s\n' "$*"
}

documents() {
	local name=World
	cat <<end
Hello, $name: $((6 * 7)) and $(echo nested; gcd 12 18; echo "$REPLY") and \$escaped
$(for i in 1 2 3; do echo "  line $i"; done)
end
	while read -r first second rest; do
		note '%s, %s, %s\n' "$second" "$first" "$rest"
	done <<'end'
one two three four
five six
seven
end
	mapfile -t lines <<<$'alpha\nbeta\ngamma'
	note '%d lines, the last is %s\n' ${#lines[@]} "${lines[-1]}"
}

traps() {
	(
		trap 'echo "leaving with $?"' EXIT
		trap 'echo "interrupted"' USR1
		kill -USR1 "$BASHPID"
		exit 3
	)
	note 'status %d\n' $?
	trap 'failures=$((failures + 1))' ERR
	failures=0
	false
	ls_without_a_name 2>/dev/null
	trap - ERR
	note '%d failures\n' $failures
}

complaints() {
	printf '%d\n' notanumber
	echo "to stderr" >&2
	(: "${nothing:?is not set}")
	local -r constant=1
	# shellcheck disable=SC2034
	(constant=2) || note 'constants stay\n'
	cd /nonexistent/directory || note 'no such directory\n'
	read -r nothing </nonexistent/file || note 'no such file\n'
	((1 / 0)) || note 'no division by zero\n'
}

times() {
	local -i stamp
	for stamp in 0 86399 951782400 1700000000 2147483647; do
		note '%(%Y-%m-%d %H:%M:%S %j %a)T\n' $stamp
	done
}

everything() {
	title numbers
	sieve 1000
	gcd 3528 3780 && note 'gcd %d\n' "$REPLY"
	fibonacci 12 && note 'fibonacci %d\n' "$REPLY"
	for i in 7 27 97; do
		collatz $i
	done
	powers
	bits
	for i in 0 10 255 65536; do
		in_base $i 2 && note '%-8d %20s' $i "$REPLY"
		in_base $i 36 && note ' %6s\n' "$REPLY"
	done
	for i in {1..20} 1999 2026 3888; do
		roman "$i" && note '%d %s\n' "$i" "$REPLY"
	done
	floats
	hanoi 6 A C B
	title strings
	reverse 'A man, a plan' && note '%s\n' "$REPLY"
	for i in 3 23; do
		caesar 'The quick brown fox' $i && note '%s\n' "$REPLY"
	done
	distance kitten sitting && note 'distance %d\n' "$REPLY"
	expansions
	matches
	kinds
	title arrays
	sorting
	words
	matrix
	size=6 ways=0 at=() && queens 0
	note '%d ways\n' $ways
	life 6
	title shell
	options -a -b value -c -x rest of it
	options -b
	documents
	traps
	complaints
	times
}

for ((round = 1; round <= rounds; round++)); do
	everything
done
for function in sieve powers bits floats hanoi matches kinds words documents; do
	printf '%-10s %4d\n' "$function" "${count[$function]}"
done
printf 'said %d times under %d titles: %s\n' "$total" ${#journal[@]} "${journal[*]}"
exit 3

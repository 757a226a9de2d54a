# Reads the output of `nm -A` and then of `objdump -dr` for an archive of objects; writes for each function that prints,
# itself or through others of its object, and for each of its names, the line "FUNCTION PRIMITIVE".  The primitives are glibc's own names for what it prints with;
# those by which it says its last words (__libc_message, __assert_fail) are not among them: abort() tells of these.
BEGIN {
	split("__fxprintf __fxprintf_nocancel __vfxprintf __vfprintf_internal __vfwprintf_internal fprintf printf " \
		"vfprintf __fprintf_chk __printf_chk __vfprintf_chk fputs _IO_fputs fwrite _IO_fwrite puts _IO_puts putc putc_unlocked fputc fputc_unlocked " \
		"fputs_unlocked fwrite_unlocked fputws_unlocked fputwc putwc_unlocked _IO_putc putchar perror warn " \
		"warnx vwarn error __overflow __woverflow _IO_padn _IO_wpadn _IO_sputn __write write __write_nocancel " \
		"__writev writev __libc_write __pwrite pwrite __send send __sendto sendto __sendmsg sendmsg " \
		"__sendmmsg __vdprintf_internal dprintf __dprintf_chk __syslog syslog __vsyslog __vsyslog_internal", names, " ")
	for (i in names)
		primitive[names[i]] = 1
}

# Whether a function reaches a primitive: the name of one, or "".
function reaches(f, i, n, to, found) {
	if (f in seen)
		return ""
	seen[f] = 1
	n = split(calls[f], to, " ")
	for (i = 1; i <= n; i++)
		if (to[i] in primitive)
			return to[i]
	for (i = 1; i <= n; i++)
		if (to[i] in calls && (found = reaches(to[i])) != "")
			return found
	return ""
}
function finish_object(f, i, n, found, names) {
	for (f in calls) {
		delete seen
		found = reaches(f)
		if (found == "")
			continue
		n = split(names_at[object, address_of[object, f]], names, " ")
		for (i = 1; i <= n; i++)
			print names[i], found
	}
	delete calls
}

# nm: ARCHIVE:OBJECT:ADDRESS TYPE NAME
FNR == NR {
	if (split($1, part, ":") == 3 && $2 ~ /^[TtWi]$/) {
		address_of[part[2], $3] = part[3]
		names_at[part[2], part[3]] = names_at[part[2], part[3]] $3 " "
	}
	next
}
/file format/ {
	finish_object()
	object = $1
	sub(/:$/, "", object)
	next
}
/^[0-9a-f]+ <.*>:$/ {
	function_name = substr($2, 2, length($2) - 3)
	calls[function_name] = calls[function_name] " "
	next
}
/R_[A-Z0-9_]*(PLT32|PC32|GOTPCREL|GOTPCRELX|CALL26|JUMP26)/ {
	target = $NF
	sub(/[-+]0x[0-9a-f]+$/, "", target)
	calls[function_name] = calls[function_name] target " "
	next
}
$NF ~ /^<.*>$/ {
	target = substr($NF, 2, length($NF) - 2)
	sub(/\+0x[0-9a-f]+$/, "", target)
	if (target != function_name)
		calls[function_name] = calls[function_name] target " "
}
END {
	finish_object()
}

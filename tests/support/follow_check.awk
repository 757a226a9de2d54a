# Lines "WHO NUMBER": each WHO counts from 0 without a gap, a copy or a change
# of places.  Says what is wrong first, or how many lines of how many there are.
NF != 2 || $2 != wanted[$1] + 0 {
	print "line " NR ": " substr($0, 1, 60) ", wanted " wanted[$1] + 0
	wrong = 1
	exit
}
{ wanted[$1] = $2 + 1 }
END {
	if (wrong)
		exit 1
	for (who in wanted)
		count++
	print NR + 0, count + 0
}

# Names of Debian packages, for install-packages and unpack-packages: a|b is either of them, since releases name the same
# thing differently, and stands for the first that the archive has.
# shellcheck shell=sh
alternatives() { echo "$1" | tr '|' ' '; } # NAME
is_installed() { # NAME; what stands behind one that the archive has does not count
	for name in $(alternatives "$1"); do
		! dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q '^install ok installed$' || return 0
		! has_candidate "$name" || return 1
	done
	return 1
}
has_candidate() { LC_ALL=C apt-cache policy "$1" 2>/dev/null | grep -q '^  Candidate: [^(]'; } # PACKAGE
# Prints one package for each name, and fails if there is one that the archive is not known to have.
chosen() { # NAME...
	known=0
	for spec; do
		found=''
		for name in $(alternatives "$spec"); do
			! has_candidate "$name" || { found=$name && break; }
		done
		[ -n "$found" ] || known=1
		echo "${found:-${spec%%|*}}"
	done
	return $known
}

# Sources of Debian packages, of the same versions as those whose programs were recorded, and what the judge says of these.
# shellcheck shell=bash

# apt as this machine has it, but with sources, and with files of its own.
with_sources() {
	local list suite parts=/etc/apt/sources.list.d
	mkdir -p "$SOURCES/lists/partial" "$SOURCES/cache/archives/partial"
	list=$SOURCES/sources.list
	{
		cat /etc/apt/sources.list "$parts"/*.list 2>/dev/null | sed -n 's/^deb \(\[[^]]*\] \)*\(.*debian.*\)/deb-src \2/p'
		for parts in "$parts"/*.sources; do
			[ ! -e "$parts" ] || awk '
				function tell(i, n, list) { n = split(suites, list, " "); for (i = 1; i <= n; i++) if (uri ~ /debian/) print "deb-src", uri, list[i], components; uri = suites = components = "" }
				/^URIs:/ { uri = $2 } /^Suites:/ { sub(/^[^ ]* /, ""); suites = $0 } /^Components:/ { sub(/^[^ ]* /, ""); components = $0 }
				/^[ \t]*$/ { tell() } END { tell() }' "$parts"
		done
	} | sort -u >"$list"
	cat >"$SOURCES/apt.conf" <<-E2
	Dir::Etc::SourceList "$list";
	Dir::Etc::SourceParts "/dev/null";
	Dir::State::Lists "$SOURCES/lists";
	Dir::Cache "$SOURCES/cache";
	APT::Sandbox::User "$(id -un)";
	Debug::NoLocking "1";
	E2
	export APT_CONFIG=$SOURCES/apt.conf
	[ -n "$(ls "$SOURCES/lists" | grep Sources)" ] || apt-get -qq update >"$SOURCES/log" 2>&1
}

# NAME VERSION of the source of a package, as its program was installed or unpacked.
source_of() { # PACKAGE PREFIX...
	local prefix changes
	for prefix in "${@:2}"; do
		changes=$prefix/usr/share/doc/$1/changelog.Debian.gz
		[ -e "$changes" ] || continue
		zcat "$changes" | sed -n '1s/^\([^ ]*\) (\([^)]*\)).*/\1 \2/p'
		return
	done
	dpkg-query -W -f '${source:Package} ${source:Version}\n' "$1" 2>/dev/null
}

# Where a source is, with Debian's patches; what the archive no longer has, or not yet, is taken in another revision of the same
# version, or in the nearest, which is said.  Status 1: it cannot be had, said in $why.
fetched() { # NAME VERSION
	local to=$SOURCES/$1-${2##*:} versions version
	tree=$to
	[ ! -e "$to/.done" ] || return 0
	rm -rf "$to" "$SOURCES/download"
	mkdir -p "$SOURCES/download"
	versions=$(apt-cache showsrc --only-source "$1" 2>/dev/null | sed -n 's/^Version: //p' | sort -rVu)
	for version in "$2" $(grep -F "${2%-*}-" <<<"$versions") $versions; do
		(cd "$SOURCES/download" && apt-get -qq source --download-only --only-source "$1=$version") >>"$SOURCES/log" 2>&1 || continue
		dpkg-source --no-check --no-copy -x "$SOURCES/download"/*.dsc "$to" >>"$SOURCES/log" 2>&1 || continue
		rm -rf "$SOURCES/download"
		[ "$version" = "$2" ] || echo "$1: $2 is not in the archive, judged by $version"
		: >"$to/.done"
		return 0
	done
	why="the source of $1 $2 cannot be had: $(grep '^E: ' "$SOURCES/log" | tail -n 1)"
	return 1
}

judge_all() {
	local file name prefixes package source version trees why tree programs=()
	with_sources
	for file in "$work"/*.packages; do
		[ -e "$file" ] || continue
		name=${file##*/}
		name=${name%.packages}
		trees=()
		mapfile -t prefixes <"$work/$name.prefixes"
		for package in $(cat "$file"); do
			read -r source version < <(source_of "$package" "${prefixes[@]}" "" "$DEBS/root")
			if ! fetched "$source" "$version"; then
				skip "$name: $why"
				continue 2
			fi
			trees+=("$tree")
		done
		printf '%s\n' "${trees[@]}" >"$work/$name.trees"
		programs+=("$name")
	done
	[ ${#programs[@]} -gt 0 ] || { skip "no program was recorded, or none has a source here"; return; }
	python3 "$judge/judge.py" "$work" "$judge" "${programs[@]}"
	verdict $? "the judge has come to an end"
}

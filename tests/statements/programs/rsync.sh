# Copies, with all that is said of them.
needs=rsync
packages=rsync
life_work() {
	mkdir -p from/below
	seq 500 >from/numbers
	seq 50 >from/below/few
	ln -s nowhere from/link
	run rsync -avv from/ to
	seq 600 >from/numbers
	run rsync -avv --stats --itemize-changes from/ to
	run rsync -avvv --delete --dry-run from/below/ to
	run rsync -av --progress --checksum from/ other
	run rsync -rvL from/ third
	run rsync -av nothing to
	run rsync --nonsense
	run rsync -av from/ /proc/nothing/there
	run rsync -avv --exclude='*s' --filter='- few' from/ fourth
}

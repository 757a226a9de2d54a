# A repository's usual commands, and some that fail.
needs=git
packages=git
header="^((hint|warning|error|fatal|usage): )?"
life_work() {
	export GIT_CONFIG_NOSYSTEM=1 HOME=$PWD GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
	run git init project
	cd project || return
	seq 100 >numbers
	run git add -v numbers
	run git status
	run git commit -m "first numbers"
	seq 50 >numbers
	run git commit -a -m "fewer numbers"
	run git checkout -b other HEAD~1
	seq 200 >numbers
	run git commit -a -m "more numbers"
	run git merge master
	run git status
	run git merge --abort
	run git checkout master
	run git branch -v
	run git branch -D other
	run git tag -a -m "a tag" v1
	run git gc
	run git fsck --verbose
	run git repack -a -d
	run git count-objects -v
	run git clone --no-local . ../copy
	run git -C ../copy fetch -v
	seq 3 >more
	run git add more
	run git commit -m more
	run git -C ../copy pull -v
	run git -C ../copy push -v origin HEAD:refs/heads/pushed
	run git push nowhere
	run git checkout nothing
	run git show nothing
	run git rm absent
	run git mv absent there
	run git stash list
	run git remote add origin ../copy
	run git remote -v
	run git worktree add ../tree
	run git worktree list
	run git notes add -m note
	run git bisect start
	run git blame numbers nothing
	run git apply nothing
	run git help nothing
	run git unknown
	run git rev-parse --verify nothing
	run git reset --hard HEAD~9
	run git cherry-pick nothing
	run git rebase nothing
	run git archive nothing
	cd ..
}

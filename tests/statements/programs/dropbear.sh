# Sessions, and a user who may not.
needs="dropbear dropbearkey ssh ssh-keygen"
packages=dropbear-bin
where=own
header="^\\[[0-9]+\\] .{15} "
life_work() { life_dropbear; }

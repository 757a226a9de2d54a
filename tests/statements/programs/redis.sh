# A server: clients come and go, it saves, it answers nonsense.
needs="redis-server redis-cli redis-benchmark"
packages=redis-server
header="^[0-9]+:[A-Z] .{20,26} [-.*#] "
life_work() { life_redis --loglevel debug; }

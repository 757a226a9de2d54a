# A cache: two clients, wrong words among right ones.
needs=memcached
packages=memcached
header=""
life_work() { life_memcached; }

# A name server for a few names.
needs="dnsmasq dig"
packages=dnsmasq-base
header="^dnsmasq(-[a-z]+)?(\\[[0-9]+\\])?: "
life_work() { life_dnsmasq_stderr; }

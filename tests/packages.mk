# What tests, benchmarks and analyses need of Debian: installed where it is missing, or unpacked below $(DEBS).
BUILD_PACKAGES = libcurl4-openssl-dev libdwarf-dev libiberty-dev libmsgpack-dev libunwind-dev libzstd-dev zlib1g-dev
# a|b: the first of them that the archive has, since releases name libraries differently (Debian 12, 13, 11; the
# last may be one that is asked for anyway, where there is no such thing).
CHECK_PACKAGES = $(BUILD_PACKAGES) make dpkg-dev systemd libcmocka-dev mandoc binutils g++ gawk \
	bash codespell coreutils findutils perl sqlite3 tcpdump bc diffutils \
	file grep sed util-linux procps psmisc busybox strace man-db xxd \
	bsdextrautils bsdutils netcat-openbsd libunwind8 python3 locales e2fsprogs \
	musl-tools libcap2-bin libjemalloc2 libtcmalloc-minimal4|libtcmalloc-minimal4t64 \
	libeatmydata1 libfaketime fakeroot valgrind clang libclang-rt-14-dev|libclang-rt-19-dev|libclang-common-11-dev \
	libmimalloc2.0|libmimalloc3|libjemalloc2 xz-utils libdebuginfod1|libdebuginfod1t64 llvm dwz libc6-dbg zstd gzip \
	python3-msgpack python3-zstandard|python3-zstd jq nodejs protobuf-compiler python3-protobuf chromium \
	ruby-msgpack lcov zsh babeltrace2 python3-bt2
# Tests run these from $(DEBS), where they are not installed: nobody gets a service for them.
CHECK_UNPACKED = memcached nginx redis-server lighttpd dnsmasq-base bind9-dnsutils curl mosquitto \
	mosquitto-clients openssh-server openssh-client dropbear-bin cron rsyslog systemd-journal-remote ncal \
	clickhouse-server|ncal clickhouse-client|ncal firefox-esr
# What only `make check-long` asks for: other languages, other processors, what npm has.
LONG_PACKAGES = $(CHECK_PACKAGES) default-jdk-headless golang-go rustc npm python3-dbg \
	gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
LONG_UNPACKED = $(CHECK_UNPACKED) postgresql rsync bind9 unbound haproxy apache2 chrony snmpd snmp squid vsftpd varnish \
	openvpn nsd stunnel4 tinyproxy exim4-daemon-light git libzookeeper-java
DEMO_PACKAGES = $(BUILD_PACKAGES) binutils
# One that is recorded, unpacked where there is no other.
DEMO_UNPACKED = redis-server
FUZZ_PACKAGES = $(CHECK_PACKAGES) afl++
ANALYZE_PACKAGES = $(CHECK_PACKAGES) clang-tidy cppcheck
# What `make bench` compares with; those that cannot be had are named there.
BENCH_PACKAGES = $(BUILD_PACKAGES) python3 binutils
BENCH_PEERS = gdb tcpdump memcached g++ libspdlog-dev liblttng-ust-dev \
	lttng-tools ltrace uftrace zstd


.PHONY: deps-build deps-check deps-long deps-demo deps-bench deps-fuzz deps-analyze
deps-build: packages = $(BUILD_PACKAGES)
deps-check: packages = $(CHECK_PACKAGES)
deps-check: unpacked = $(CHECK_UNPACKED)
deps-long: packages = $(LONG_PACKAGES)
deps-long: unpacked = $(LONG_UNPACKED)
deps-demo: packages = $(DEMO_PACKAGES)
deps-bench: packages = $(BENCH_PACKAGES)
deps-bench: unpacked = $(CHECK_UNPACKED)
deps-fuzz: packages = $(FUZZ_PACKAGES)
deps-analyze: packages = $(ANALYZE_PACKAGES)
deps-build deps-check deps-long deps-demo deps-bench deps-fuzz deps-analyze:
	@tests/install-packages $(packages:%='%')
	@$(if $(unpacked),tests/unpack-packages $(DEBS) $(unpacked:%='%') || :)

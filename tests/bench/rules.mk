# What recording costs.
.PHONY: bench bench-tools

## make bench           what recording costs, beside glibc and others: tests/bench/RESULTS.md; QUICK=1 is short
bench: deps-bench
	$(Q)$(MAKE) --no-print-directory all
	-@for peer in $(BENCH_PEERS); do tests/install-packages $$peer || :; done
	$(Q)tests/bench/run $(O)

## make bench-tools     what whole programs cost, recorded and not: tests/bench/TOOLS.md; T=NAME for some
bench-tools: deps-check
	$(Q)$(MAKE) --no-print-directory all
	$(Q)tests/bench/tools $(O) $(T)

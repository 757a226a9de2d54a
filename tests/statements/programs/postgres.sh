# A database: what is right and what is wrong.
needs=$(postgresql)/pgbench
packages=postgresql-15
header="^[-0-9]+ [0-9:.]+ [A-Z]+ \\[[0-9]+\\] [A-Z0-9]+:  "
life_work() { life_postgresql -c log_min_messages=debug2 -c log_checkpoints=on -c log_statement=none; }

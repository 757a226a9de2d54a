# A job when it starts, and one at the next minute.
needs=cron
packages="cron libpam-modules"
where=own
life_work() { life_cron minute; }

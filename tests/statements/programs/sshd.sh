# Sessions, and a user who may not.
needs="sshd ssh ssh-keygen"
packages=openssh-server
header="^((debug[0-9]|fatal|error): )?
^((debug[0-9]|fatal|error): )?([a-z][a-z0-9_]+: )"
where=own
life_work() { life_sshd -e -o LogLevel=DEBUG3; }

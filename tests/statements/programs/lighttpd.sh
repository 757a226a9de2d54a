# A web server that says how it reads its requests.
needs="lighttpd curl"
packages=lighttpd
header="^([^ ]+ [^ ]+ )?[(].*?[)] "
life_work() { lighttpd_more='debug.log-request-handling = "enable"
debug.log-request-header = "enable"
debug.log-response-header = "enable"
debug.log-file-not-found = "enable"
debug.log-condition-handling = "enable"' life_lighttpd; }

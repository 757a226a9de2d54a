# A web server whose error log has everything.
needs="nginx curl"
packages=nginx
header="^[0-9/]+ [0-9:]+ \\[[a-z]+\\] [0-9]+#[0-9]+: 
^[0-9/]+ [0-9:]+ \\[[a-z]+\\] [0-9]+#[0-9]+: ([*][0-9]+ )?"
dialect=nginx
life_work() {
	nginx_level=debug life_nginx
}

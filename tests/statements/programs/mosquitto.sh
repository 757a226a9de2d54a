# A broker: publishers and a subscriber.
needs="mosquitto mosquitto_pub mosquitto_sub"
packages=mosquitto
header="^[0-9]+: "
life_work() { life_mosquitto; }

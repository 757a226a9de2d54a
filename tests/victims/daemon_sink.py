"""daemon_sink.py FILE: each datagram that arrives at /dev/log becomes a line of FILE.

After SIGTERM it takes what is still queued and ends.
"""
import signal
import socket
import sys

sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
sock.bind("/dev/log")
sock.settimeout(0.05)
lines = []
ending = []

# The handler only says so: it may come between a datagram and its place in the list.
signal.signal(signal.SIGTERM, lambda *_: ending.append(True))
while True:
    try:
        lines.append(sock.recv(65536))
    except socket.timeout:
        if ending:
            break
with open(sys.argv[1], "ab") as out:
    for line in lines:
        out.write(line.rstrip(b"\n\0").replace(b"\n", b"\\n") + b"\n")

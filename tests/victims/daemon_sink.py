"""daemon_sink.py FILE: each datagram that arrives at /dev/log becomes a line of FILE.

On SIGTERM takes what is still queued and ends.
"""
import signal
import socket
import sys

sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
sock.bind("/dev/log")
lines = []


def end(*_):
    sock.setblocking(False)
    try:
        while True:
            lines.append(sock.recv(65536))
    except BlockingIOError:
        pass
    with open(sys.argv[1], "ab") as out:
        for line in lines:
            out.write(line.rstrip(b"\n\0").replace(b"\n", b"\\n") + b"\n")
    sys.exit(0)


signal.signal(signal.SIGTERM, end)
while True:
    lines.append(sock.recv(65536))

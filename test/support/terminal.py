"""Runs a command in a terminal of its own: JSON lines on standard input write to it, resize it or send a signal."""
import fcntl, json, os, pty, signal, struct, sys, termios, threading

columns, rows, *command = sys.argv[1:]
pid, master = pty.fork()
if pid == 0:
    os.execvp(command[0], command)


def resize(columns, rows):
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", int(rows), int(columns), 0, 0))


def obey():
    for line in sys.stdin:
        order = json.loads(line)
        if "write" in order:
            os.write(master, order["write"].encode())
        if "resize" in order:
            resize(*order["resize"])
        if "signal" in order:
            os.kill(pid, getattr(signal, order["signal"]))


resize(columns, rows)
threading.Thread(target=obey, daemon=True).start()
while True:
    try:
        data = os.read(master, 65536)
    except OSError:
        break
    if not data:
        break
    sys.stdout.buffer.write(data)
    sys.stdout.flush()
_, status = os.waitpid(pid, 0)
os._exit(os.waitstatus_to_exitcode(status) % 256)

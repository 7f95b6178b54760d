/** The settings of a new server's first boot, without the token of its report. */
export interface FirstBoot {
  /** The address that accepts the server's reports; a server without it sends none. */
  callback_url?: string;
  /** The user that the keys belong to. */
  username: string;
  authorized_keys: string[];
  role: string;
  environment: string;
  /** The volumes that will be attached, and their mount points. Only a `blank` one gets a file system. */
  volumes: { device: string; mount: string; blank: boolean }[];
}

/** AWS's limit for user data, before base64. */
export const MAX_USER_DATA_BYTES = 16_384;

/**
 * The user data of a new server, in base64: a constant script with the settings as one base64 string, whose characters
 * have no meaning in the script's language.
 */
export function userData(firstBoot: FirstBoot, token?: string): string {
  const settings = Buffer.from(JSON.stringify({ ...firstBoot, token })).toString("base64");
  return Buffer.from(SCRIPT.replace("@SETTINGS@", settings)).toString("base64");
}

/** The text of the file `authorized_keys` that holds the keys. */
export function authorizedKeysFile(keys: string[]): string {
  return keys.map((key) => `${key}\n`).join("");
}

/** The settings with as many of the keys, in their order, as AWS accepts in user data with a token. */
export function withKeysThatFit(settings: Omit<FirstBoot, "authorized_keys">, keys: string[]): FirstBoot {
  const without = userData({ ...settings, authorized_keys: [] }, "x".repeat(43));
  // Base64 makes four bytes of three, and rounds up.
  let room = Math.floor(((MAX_USER_DATA_BYTES - Buffer.from(without, "base64").length) * 3) / 4) - 3;
  const fitting = keys.filter((key) => {
    const size = Buffer.byteLength(JSON.stringify(key)) + 1;
    if (size > room) return false;
    room -= size;
    return true;
  });
  return { ...settings, authorized_keys: fitting };
}

const SCRIPT = `#!/usr/bin/python3
"""The first boot of a Gantry server: installs its SSH keys, mounts its volumes and reports.

Its copy in /usr/local/sbin is called each minute with "keys": it asks Gantry for other SSH keys, and lets the file systems
fill disks that have grown."""
import base64, hashlib, json, os, pwd, subprocess, sys, time

SETTINGS = "@SETTINGS@"
settings = json.loads(base64.b64decode(SETTINGS))


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout.strip()


COPY = "/usr/local/sbin/gantry-server"
has_channel = "callback_url" in settings and "token" in settings


def send(url, content, tries):
    body = json.dumps(dict(content, token=settings["token"]))
    command = ["curl", "--silent", "--show-error", "--fail", "--max-time", "20", "--retry", str(tries), "--retry-delay",
               "10", "--retry-all-errors", "--header", "Content-Type: application/json", "--data-binary", "@-", url]
    return subprocess.run(command, input=body.encode(), stdout=subprocess.PIPE)


def report(status, message, tries):
    if not has_channel:
        return True
    readable = "".join(sign if sign.isprintable() else " " for sign in message)
    return send(settings["callback_url"], {"status": status, "message": readable[:500]}, tries).returncode == 0


def install_keys(text):
    name = settings["username"]
    try:
        user = pwd.getpwnam(name)
    except KeyError:
        run("useradd", "--create-home", "--shell", "/bin/bash", "--", name)
        user = pwd.getpwnam(name)
    folder = os.path.join(user.pw_dir, ".ssh")
    file = os.path.join(folder, "authorized_keys")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    os.chown(folder, user.pw_uid, user.pw_gid)
    # Renamed when it is whole: nobody is kept out meanwhile.
    with open(file + ".new", "w") as keys:
        keys.write(text)
    os.chmod(file + ".new", 0o600)
    os.chown(file + ".new", user.pw_uid, user.pw_gid)
    os.rename(file + ".new", file)


def ask_for_keys():
    user = pwd.getpwnam(settings["username"])
    # As the user itself: in its folders a link may lead anywhere.
    os.setgroups([])
    os.setgid(user.pw_gid)
    os.setuid(user.pw_uid)
    file = os.path.join(user.pw_dir, ".ssh", "authorized_keys")
    for _ in range(2):
        installed = ""
        if os.path.exists(file):
            with open(file) as keys:
                installed = keys.read()
        digest = hashlib.sha256(installed.encode()).hexdigest()
        url = settings["callback_url"].rsplit("/", 1)[0] + "/authorized-keys"
        answer = send(url, {"installed": digest}, 0)
        due = json.loads(answer.stdout)["authorized_keys"] if answer.returncode == 0 else None
        if due is None:
            return answer.returncode
        install_keys(due)
    return 1


GROWN = "/run/gantry-disks.json"


def grow_file_systems():
    known = {}
    if os.path.exists(GROWN):
        with open(GROWN) as file:
            known = json.load(file)
    filled = {}
    for mount_point in ["/"] + [volume["mount"] for volume in settings["volumes"]]:
        try:
            filled[mount_point] = grow(mount_point, known.get(mount_point))
        except Exception as error:
            if mount_point in known:
                filled[mount_point] = known[mount_point]
            print("Cannot grow " + mount_point + ": " + str(getattr(error, "stderr", None) or error), file=sys.stderr)
    url = settings["callback_url"].rsplit("/", 1)[0] + "/file-systems"
    if filled != known and send(url, {"filled": filled}, 0).returncode == 0:
        with open(GROWN, "w") as file:
            json.dump(filled, file)


def grow(mount_point, known):
    device, kind = run("findmnt", "-nrfo", "SOURCE,FSTYPE", mount_point).split()
    number = os.stat(device).st_rdev
    block = os.path.realpath("/sys/dev/block/%d:%d" % (os.major(number), os.minor(number)))

    def number_in(*path):
        with open(os.path.join(block, *path)) as file:
            return int(file.read())

    has_table = os.path.exists(os.path.join(block, "partition"))
    sectors = number_in("../size" if has_table else "size")
    if sectors * 512 == known:
        return known
    if has_table:
        # It ends with 1 if the partition fills its disk already.
        subprocess.run(["growpart", "/dev/" + os.path.basename(os.path.dirname(block)), str(number_in("partition"))])
        if sectors - number_in("start") - number_in("size") > 204800:
            raise RuntimeError("its partition does not fill the disk")
    resize(kind, device, mount_point)
    return sectors * 512


def resize(kind, device, mount_point):
    if kind == "xfs":
        run("xfs_growfs", mount_point)
    elif kind == "ext4":
        run("resize2fs", device)
    else:
        raise RuntimeError("it is " + kind)


def forget_former_server():
    # A root disk from a snapshot still asks for the keys of the server that it was taken of.
    if os.path.exists("/etc/systemd/system/gantry-keys.timer") and os.path.isdir("/run/systemd/system"):
        run("systemctl", "disable", "--now", "gantry-keys.timer")
        run("systemctl", "stop", "gantry-keys.service")
    if os.path.exists(COPY):
        os.remove(COPY)


def keep_keys():
    with open(__file__) as script, open(COPY, "w") as keeper:
        os.chmod(COPY, 0o700)
        keeper.write(script.read())
    if not os.path.isdir("/run/systemd/system"):
        return ", but without systemd it cannot update its SSH keys"
    for name, unit in (("service", SERVICE), ("timer", TIMER)):
        with open("/etc/systemd/system/gantry-keys." + name, "w") as file:
            file.write(unit)
    run("systemctl", "daemon-reload")
    run("systemctl", "enable", "--now", "gantry-keys.timer")
    return ""


SERVICE = """[Unit]
Description=Asks Gantry for the SSH keys of this server

[Service]
Type=oneshot
ExecStart=/usr/bin/python3 /usr/local/sbin/gantry-server keys
"""
TIMER = """[Unit]
Description=Asks Gantry for the SSH keys of this server each minute

[Timer]
OnActiveSec=1min
OnUnitActiveSec=1min
RandomizedDelaySec=15

[Install]
WantedBy=timers.target
"""


def probe(disk, tag):
    return subprocess.run(["blkid", "-p", "-o", "value", "-s", tag, disk], stdout=subprocess.PIPE, text=True).stdout.strip()


def is_empty(disk):
    # The exit code 2 stands for no known content; a partition table is one.
    return subprocess.run(["blkid", "-p", disk], stdout=subprocess.DEVNULL).returncode == 2


def mount(device, mount_point, blank):
    end = time.time() + 1200
    while not os.path.exists(device):
        if time.time() > end:
            raise RuntimeError("The volume " + device + " did not appear")
        time.sleep(2)
    disk = os.path.realpath(device)
    if blank and is_empty(disk):
        run("mkfs.ext4", "-q", disk)
    kind, uuid = probe(disk, "TYPE"), probe(disk, "UUID")
    if not kind or not uuid:
        raise RuntimeError("The volume " + device + " has no file system to mount; nothing on it was changed")
    os.makedirs(mount_point, exist_ok=True)
    # A root disk from a snapshot lists the volume that its server had there.
    with open("/etc/fstab") as table:
        lines = [line for line in table.read().splitlines() if line.split()[1:2] != [mount_point]]
    lines.append("UUID=" + uuid + " " + mount_point + " " + kind + " defaults,nofail 0 2")
    with open("/etc/fstab.new", "w") as table:
        table.writelines(line + "\\n" for line in lines)
    os.rename("/etc/fstab.new", "/etc/fstab")
    if subprocess.run(["mountpoint", "-q", mount_point]).returncode != 0:
        # By its device: with the table's nofail, mount succeeds without a mount.
        run("mount", disk, mount_point)
    # A volume from a snapshot may be larger than its file system.
    if kind in ("xfs", "ext4"):
        resize(kind, disk, mount_point)


if sys.argv[1:] == ["keys"]:
    grow_file_systems()
    sys.exit(ask_for_keys())
try:
    forget_former_server()
    install_keys("".join(key + "\\n" for key in settings["authorized_keys"]))
    report("progress", "The SSH keys are in place", 2)
    for volume in settings["volumes"]:
        mount(volume["device"], volume["mount"], volume["blank"])
    status, message = "finished", "The server is set up" + (keep_keys() if has_channel else "")
except Exception as error:
    status, message = "failed", str(getattr(error, "stderr", None) or error)
# The instance's console output shows the line.
print("gantry first boot " + status + ": " + " ".join(message.split())[:500], flush=True)
reported = report(status, message, 60)
sys.exit(0 if reported else 1)
`;

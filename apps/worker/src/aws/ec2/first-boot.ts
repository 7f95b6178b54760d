/** What a new server is told: everything that its first boot needs, but the token of its report. */
export interface FirstBoot {
  /** Where it reports; nowhere where absent. */
  callback_url?: string;
  /** Who the keys let in. */
  username: string;
  authorized_keys: string[];
  role: string;
  environment: string;
  /** The disks that it is going to be given, and where they belong. */
  volumes: { device: string; mount: string }[];
}

/** AWS's limit for user data before it is encoded, in bytes. */
export const MAX_USER_DATA_BYTES = 16_384;

/**
 * The user data of a new server, in base64: a script that is always the same, with all it is told in one constant of
 * base64, whose letters mean nothing to the script's language.
 */
export function userData(firstBoot: FirstBoot, token?: string): string {
  const told = Buffer.from(JSON.stringify({ ...firstBoot, token })).toString("base64");
  return Buffer.from(SCRIPT.replace("@TOLD@", told)).toString("base64");
}

/** How large the user data will be, in bytes. */
export function userDataBytes(firstBoot: FirstBoot): number {
  return Buffer.from(userData(firstBoot, "x".repeat(43)), "base64").length;
}

const SCRIPT = `#!/usr/bin/python3
"""The first boot of a server of Gantry's: lets its people in, mounts its volumes, and reports."""
import base64, json, os, pwd, subprocess, sys, time

TOLD = "@TOLD@"
told = json.loads(base64.b64decode(TOLD))


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout.strip()


def report(status, message, tries):
    if "callback_url" not in told:
        return True
    readable = "".join(sign if sign.isprintable() else " " for sign in message)
    body = json.dumps({"token": told["token"], "status": status, "message": readable[:500]})
    command = ["curl", "--silent", "--show-error", "--fail", "--max-time", "20", "--retry", str(tries), "--retry-delay",
               "10", "--retry-all-errors", "--header", "Content-Type: application/json", "--data-binary", "@-",
               told["callback_url"]]
    return subprocess.run(command, input=body.encode()).returncode == 0


def let_in():
    name = told["username"]
    try:
        user = pwd.getpwnam(name)
    except KeyError:
        run("useradd", "--create-home", "--shell", "/bin/bash", "--", name)
        user = pwd.getpwnam(name)
    folder = os.path.join(user.pw_dir, ".ssh")
    file = os.path.join(folder, "authorized_keys")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    with open(file, "w") as keys:
        keys.write("".join(key + "\\n" for key in told["authorized_keys"]))
    os.chmod(file, 0o600)
    for path in (folder, file):
        os.chown(path, user.pw_uid, user.pw_gid)


def mount(device, place):
    end = time.time() + 1200
    while not os.path.exists(device):
        if time.time() > end:
            raise RuntimeError("The volume " + device + " did not appear")
        time.sleep(2)
    disk = os.path.realpath(device)
    of = lambda what: subprocess.run(["blkid", "-o", "value", "-s", what, disk], stdout=subprocess.PIPE, text=True).stdout.strip()
    if not of("TYPE"):
        run("mkfs.ext4", "-q", disk)
    kind, uuid = of("TYPE"), of("UUID")
    os.makedirs(place, exist_ok=True)
    with open("/etc/fstab", "r+") as table:
        if uuid not in table.read():
            table.write("UUID=" + uuid + " " + place + " " + kind + " defaults,nofail 0 2\\n")
    if not os.path.ismount(place):
        run("mount", place)
    # One that was made from a snapshot may be larger than what is on it.
    if kind == "xfs":
        run("xfs_growfs", place)
    elif kind == "ext4":
        run("resize2fs", disk)


try:
    let_in()
    report("progress", "The SSH keys are in place", 2)
    for volume in told["volumes"]:
        mount(volume["device"], volume["mount"])
    said = report("finished", "The server is set up", 60)
except Exception as error:
    detail = getattr(error, "stderr", None) or str(error)
    said = report("failed", str(detail), 60)
sys.exit(0 if said else 1)
`;

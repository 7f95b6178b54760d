import { execFile, execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { userData } from "./first-boot.js";

const SANDBOX = fileURLToPath(new URL("../../../../../test/support/first-boot-sandbox.sh", import.meta.url));
const MB = 1024 * 1024;

const reports: { status: string; message: string }[] = [];
const askedWith: string[] = [];
const filledSizes: Record<string, number>[] = [];
let authorizedKeys: string | null = null;
const server = createServer(async (request, response) => {
  const { status, message, installed, filled, token } = JSON.parse(await text(request));
  if (request.url === "/requests/1/file-systems") {
    filledSizes.push(filled);
    response.end();
    return;
  }
  if (request.url === "/requests/1/authorized-keys") {
    askedWith.push(installed);
    const isInstalled = authorizedKeys !== null && installed === digest(authorizedKeys);
    response.end(JSON.stringify({ authorized_keys: isInstalled || token !== "token" ? null : authorizedKeys }));
    return;
  }
  reports.push({ status, message });
  response.end();
});
let folder: string;

beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  reports.length = 0;
  askedWith.length = 0;
  filledSizes.length = 0;
  authorizedKeys = null;
  folder = mkdtempSync(join(tmpdir(), "gantry-first-boot-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Boots a server with the disk, and returns what `command` prints on it. */
async function boot({ blank }: { blank: boolean }, command: string): Promise<string> {
  const { port } = server.address() as AddressInfo;
  const firstBoot = {
    callback_url: `http://127.0.0.1:${port}/requests/1/callback`,
    username: "deploy",
    authorized_keys: ["ssh-ed25519 AAAA"],
    role: "app",
    environment: "main",
    volumes: [{ device: "/dev/xvdf", mount: "/data", blank }],
  };
  writeFileSync(join(folder, "script"), Buffer.from(userData(firstBoot, "token"), "base64"));
  const { stdout } = await promisify(execFile)(SANDBOX, [folder, command]);
  return stdout.trim();
}

/** Creates the disk, of zeros, and returns its file. */
function createDisk(bytes = 100 * MB): string {
  const disk = join(folder, "disk");
  const file = openSync(disk, "w");
  ftruncateSync(file, bytes);
  closeSync(file);
  return disk;
}

/** Creates a file system with a file in it, on the whole disk or in 40 MB from `offset`. */
function createFileSystem(disk: string, offset?: number): void {
  const files = join(folder, "files");
  mkdirSync(files);
  writeFileSync(join(files, "precious"), "kept");
  const place = offset === undefined ? [disk] : ["-E", `offset=${offset}`, disk, "40M"];
  execFileSync("mkfs.ext4", ["-q", "-d", files, ...place]);
}

function createXfs(disk: string): void {
  execFileSync("mkfs.xfs", ["-q", disk]);
}

function checksum(file: string): string {
  return digest(readFileSync(file));
}

function digest(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

// Loop devices need Linux and its root user.
const hasLoopDevices =
  spawnSync("unshare", ["--mount", "bash", "-c", "losetup --find && command -v mkfs.ext4 blkid curl"]).status === 0;
const describeWithDisks = hasLoopDevices ? describe : describe.skip;

describeWithDisks("the first boot, on a machine with loop devices,", () => {
  it("creates a file system on a new volume, mounts it at each boot, and installs the keys", async () => {
    createDisk();
    const shown = await boot(
      { blank: true },
      "findmnt -no FSTYPE /data; cut -d' ' -f2- /etc/fstab; cat ~deploy/.ssh/authorized_keys",
    );
    expect(shown.split("\n")).toEqual(["ext4", "/data ext4 defaults,nofail 0 2", "ssh-ed25519 AAAA"]);
    const message = "The server is set up, but without systemd it cannot update its SSH keys";
    expect(reports.at(-1)).toEqual({ status: "finished", message });
  });

  const ASK = "python3 /usr/local/sbin/gantry-server keys; cat ~deploy/.ssh/authorized_keys";

  it("requests changed SSH keys afterwards, installs them atomically, and reports it", async () => {
    createDisk();
    authorizedKeys = "ssh-ed25519 BBBB\nssh-ed25519 CCCC\n";
    const owner = "stat -c %U:%a ~deploy/.ssh/authorized_keys /usr/local/sbin/gantry-server";
    const shown = await boot({ blank: true }, `${ASK}; ${owner}`);
    expect(shown.split("\n")).toEqual(["ssh-ed25519 BBBB", "ssh-ed25519 CCCC", "deploy:600", "root:700"]);
    expect(askedWith).toEqual([digest("ssh-ed25519 AAAA\n"), digest(authorizedKeys)]);
  });

  // Linux grows ext4 only for those with CAP_SYS_RESOURCE, which root lacks in many sandboxes; others have no tools for XFS.
  const capabilities =
    /CapEff:\t(\w+)/.exec(hasLoopDevices ? readFileSync("/proc/self/status", "utf8") : "")?.[1] ?? "0";
  const growing = [
    ...((BigInt(`0x${capabilities}`) >> 24n) & 1n ? ["ext4"] : []),
    ...(spawnSync("mkfs.xfs", ["-V"]).status === 0 ? ["xfs"] : []),
  ];
  const itCanGrow = growing.length > 0 ? it.each(growing) : it.skip.each(["any type"]);
  itCanGrow("lets a file system of type %s fill a disk that has grown, and reports its size once", async (kind) => {
    if (kind === "ext4") createDisk();
    else createXfs(createDisk(400 * MB));
    const grow =
      "truncate --size 600M /mnt/disk; losetup --set-capacity $(readlink -f /dev/xvdf); df --output=size -m /data";
    const minute = "python3 /usr/local/sbin/gantry-server keys > /dev/null";
    const shown = await boot(
      { blank: kind === "ext4" },
      `${minute}; ${minute}; ${grow}; ${minute}; ${minute}; df --output=size -m /data`,
    );
    const [before, after] = shown
      .split("\n")
      .filter((line) => /^ *\d+$/.test(line))
      .map(Number);
    expect([(before ?? 0) < 400, (after ?? 0) > 500]).toEqual([true, true]);
    expect(filledSizes).toEqual([{ "/data": (kind === "ext4" ? 100 : 400) * MB }, { "/data": 600 * MB }]);
  });

  it("keeps its SSH keys if no new ones are available", async () => {
    createDisk();
    expect(await boot({ blank: true }, ASK)).toBe("ssh-ed25519 AAAA");
  });

  it("writes SSH keys only where their user can write", async () => {
    createDisk();
    authorizedKeys = "ssh-ed25519 BBBB\n";
    const link = "echo system > /etc/precious; ln -s /etc/precious ~deploy/.ssh/authorized_keys.new";
    expect(await boot({ blank: true }, `${link}; ${ASK}; cat /etc/precious`)).toBe("ssh-ed25519 AAAA\nsystem");
  });

  it("mounts the file system of a volume from a snapshot", async () => {
    createFileSystem(createDisk());
    expect(await boot({ blank: false }, "cat /data/precious")).toBe("kept");
    expect(reports.at(-1)).toMatchObject({ status: "finished" });
  });

  it("mounts its volume in place of the one that a root disk from a snapshot had there", async () => {
    createDisk();
    writeFileSync(join(folder, "fstab"), "UUID=1 / xfs defaults 0 1\nUUID=2 /data ext4 defaults,nofail 0 2");
    const shown = await boot(
      { blank: true },
      "cut -d' ' -f2-3 /etc/fstab; blkid -o value -s UUID /dev/xvdf; cat /etc/fstab",
    );
    const [root, data, uuid, , line] = shown.split("\n");
    expect([root, data, line]).toEqual(["/ xfs", "/data ext4", `UUID=${uuid} /data ext4 defaults,nofail 0 2`]);
  });

  it("stops what asks for the keys of the server that a root disk was taken of, before it installs its own", async () => {
    createDisk();
    const systemd = "mkdir -p /run/systemd/system /etc/systemd/system; touch /etc/systemd/system/gantry-keys.timer";
    const log = "ls ~deploy/.ssh | grep -c authorized_keys";
    const systemctl = `printf '#!/bin/bash\\necho $(${log}) $@ >> /calls\\n' > /usr/bin/systemctl; chmod +x /usr/bin/systemctl`;
    const again = "rm ~deploy/.ssh/authorized_keys; python3 /mnt/script > /dev/null; cat /calls";
    expect((await boot({ blank: true }, `${systemd}; ${systemctl}; ${again}`)).split("\n")).toEqual([
      "0 disable --now gantry-keys.timer",
      "0 stop gantry-keys.service",
      "1 daemon-reload",
      "1 enable --now gantry-keys.timer",
    ]);
    expect(reports.at(-1)).toEqual({ status: "finished", message: "The server is set up" });
  });

  it("keeps a file system even if the volume counts as new", async () => {
    createFileSystem(createDisk());
    expect(await boot({ blank: true }, "cat /data/precious")).toBe("kept");
  });

  it.each([
    ["a new volume", true],
    ["a volume from a snapshot", false],
  ])("changes nothing on %s with a partition table, and reports it", async (_what, blank) => {
    const disk = createDisk();
    createFileSystem(disk, MB);
    // A table of one Linux partition, as a root disk has.
    const entry = Buffer.alloc(16);
    entry.writeUInt8(0x83, 4);
    entry.writeUInt32LE(MB / 512, 8);
    entry.writeUInt32LE((40 * MB) / 512, 12);
    const file = openSync(disk, "r+");
    writeSync(file, entry, 0, entry.length, 446);
    writeSync(file, Buffer.from([0x55, 0xaa]), 0, 2, 510);
    closeSync(file);
    const before = checksum(disk);
    await boot({ blank }, "true");
    expect(checksum(disk)).toBe(before);
    const message = "The volume /dev/xvdf has no file system to mount; nothing on it was changed";
    expect(reports.at(-1)).toEqual({ status: "failed", message });
  });

  it("creates no file system on a volume from a snapshot without a known file system", async () => {
    const disk = createDisk();
    const before = checksum(disk);
    await boot({ blank: false }, "true");
    expect(checksum(disk)).toBe(before);
    expect(reports.at(-1)).toMatchObject({ status: "failed" });
  });
});

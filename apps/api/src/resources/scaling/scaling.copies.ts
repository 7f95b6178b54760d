import type { Environment, Server, Tx, Volume } from "@gantry/db";
import type { ServerSpec, Tags } from "@gantry/resources";
import type { Growth } from "./scaling.rules.js";

/** The servers to provision: each has the settings and the empty volumes of its template, but not its data. */
export async function copiesOf(
  db: Tx,
  { id }: Environment,
  { growths, subnetId }: { growths: Growth[]; subnetId: string | undefined },
): Promise<ServerSpec[]> {
  const servers = await db.server.findMany({ where: { environmentId: id, deletedAt: null }, select: { name: true } });
  const taken = new Set(servers.map(({ name }) => name));
  const copies: ServerSpec[] = [];
  for (const { role, added, template, kept } of growths) {
    const volumes = await db.volume.findMany({ where: { serverId: template.id, deletedAt: null } });
    const subnets = await privateSubnetsOf(db, template, kept);
    for (let n = 0; n < added; n++) {
      const name = template.name === null ? undefined : freeName(role.replace("_", "-"), taken);
      // Of what the paths name, a copy has only a subnet of its own.
      const path = subnetId === undefined ? `environment.roles.${role}` : "environment";
      copies.push({ ...copyOf(template, volumes), path, role, name, subnetId: subnetId ?? subnets() });
    }
  }
  return copies;
}

function copyOf(server: Server, volumes: Volume[]): Omit<ServerSpec, "path" | "role"> {
  const { flavor, dedicated, cpuCredits, iamRoleId, tags } = server;
  const data = volumes.find(({ mount }) => mount === "/data");
  const mnt = volumes.find(({ mount }) => mount === "/mnt");
  return {
    flavor,
    dedicated,
    cpuCredits: (cpuCredits ?? undefined) as ServerSpec["cpuCredits"],
    iamRoleId: iamRoleId ?? undefined,
    tags: tags as Tags,
    ...(data && {
      volumeSizeGb: data.sizeGb,
      volumeType: data.volumeType,
      iops: data.iops ?? undefined,
      throughput: data.throughput,
    }),
    ...(mnt && {
      mntVolumeSizeGb: mnt.sizeGb,
      mntSettings: { volumeType: mnt.volumeType, iops: mnt.iops, throughput: mnt.throughput },
    }),
  };
}

/**
 * Returns what gives each copy of a server in a private subnet the private subnet with the fewest servers of the role.
 * Others get their subnet or zone as every new server does.
 */
async function privateSubnetsOf(db: Tx, template: Server, kept: Server[]): Promise<() => string | undefined> {
  const ids = [template, ...kept].flatMap(({ subnetId }) => subnetId ?? []);
  const subnets = await db.subnet.findMany({ where: { id: { in: ids }, private: true }, orderBy: { id: "asc" } });
  if (!subnets.some(({ id }) => id === template.subnetId)) return () => undefined;
  const counts = new Map(subnets.map(({ id }) => [id, kept.filter(({ subnetId }) => subnetId === id).length]));
  return () => {
    const [least] = [...counts].sort(([, one], [, other]) => one - other);
    if (!least) return undefined;
    counts.set(least[0], least[1] + 1);
    return least[0];
  };
}

/** The first of `prefix-1`, `prefix-2`, … that is free; takes it. */
function freeName(prefix: string, taken: Set<string | null>): string {
  let n = 1;
  while (taken.has(`${prefix}-${n}`)) n++;
  taken.add(`${prefix}-${n}`);
  return `${prefix}-${n}`;
}

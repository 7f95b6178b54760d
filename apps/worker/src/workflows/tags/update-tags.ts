import { type InputOf, recordTags, type Tags } from "@gantry/resources";
import { volume } from "../../aws/ec2/volume.js";
import { changeTags } from "../../aws/tag-changes.js";
import { poll } from "../../engine/stage-errors.js";
import { type AwsStageContext, awsWorkflow } from "../aws-workflow.js";

type Context = Pick<AwsStageContext, "db" | "cloud">;
type Changed = InputOf<"update_tags">["records"][number];

/** Brings the objects of a record and of its parts in AWS to the own tags that the records have by now. */
export const updateTags = awsWorkflow({
  type: "update_tags",
  stages: {
    tag: async ({ input, db, cloud }) => {
      await Promise.all(input.records.map((record) => tagRecord({ db, cloud }, record)));
    },
  },
});

async function tagRecord({ db, cloud }: Context, { type, id, removed }: Changed): Promise<void> {
  const [row] = await db.$queryRaw<{ tags: Tags }[]>`SELECT ${recordTags({ type, id }, { withName: true })} AS tags`;
  const set = row?.tags ?? {};
  // A later change may have set a tag again that this one removed.
  const change = { set, removed: removed.filter((key) => !(key in set)) };
  for (const [{ providerId, region }, objects] of await objectsOf(db, { type, id })) {
    await cloud({ providerId, region }).call(changeTags(objects, change));
  }
}

interface Region {
  providerId: number;
  region: string;
}

/**
 * The objects of a record, by their regions.
 *
 * @throws NotYet if one is still being made
 */
async function objectsOf(db: Context["db"], { type, id }: Pick<Changed, "type" | "id">) {
  const rows = await db.cloudObject.findMany({ where: { resourceType: type, resourceId: id, removedAt: null } });
  if (rows.some(({ cloudId }) => cloudId === null)) throw poll("another Request to create an object of this record");
  const known = rows.length === 0 && type === "volume" ? await rootVolume(db, Number(id)) : rows;
  const regions = new Map<string, [Region, { kind: string; id: string }[]]>();
  for (const { kind, cloudId, providerId, region } of known) {
    const entry = regions.get(`${providerId} ${region}`) ?? [{ providerId, region }, []];
    entry[1].push({ kind, id: cloudId ?? "" });
    regions.set(`${providerId} ${region}`, entry);
  }
  return [...regions.values()];
}

/** The object of an instance's root volume, which AWS makes with the instance: the ledger has no row for it. */
async function rootVolume(db: Context["db"], id: number) {
  const found = await db.volume.findUniqueOrThrow({ where: { id } });
  const { provisionedId: cloudId, providerId, region, deletedAt } = found;
  return cloudId && !deletedAt ? [{ kind: volume.kind, cloudId, providerId, region }] : [];
}

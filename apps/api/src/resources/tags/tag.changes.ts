import { isDeepStrictEqual } from "node:util";
import { Prisma, type Tx } from "@gantry/db";
import { idTypeOf, modelOf, nameOf, partsOf, type ResourceType, resources, type Tags } from "@gantry/resources";
import { invalid } from "../../http/errors/errors.js";
import { tagsInput } from "../../http/lists/tags.js";
import type { CreatedRequest, CreateRequest } from "../../http/plans/requested.js";
import { requireLive } from "../../http/rows/live-rows.js";
import { referenceTo, table } from "../../http/rows/rows.js";

interface TaggedRow {
  id: string | number;
  accountId: string;
  deletedAt: Date | null;
  tags: unknown;
}

interface Changed {
  type: ResourceType;
  id: string;
  before: Tags;
  after: Tags;
}

/**
 * Sets the record's own tags, and creates the Request that applies them to its objects in AWS. The parts of the record
 * follow if they have the tags of the record. Call it in a transaction, with the record's row locked.
 *
 * @param renamed true if the record has another name, which its objects in AWS have too
 * @returns the Request, or undefined if nothing changes in AWS
 * @throws 409 if the record was deleted; 422 if a part would have more tags than AWS allows
 */
export async function changeTags(
  { db, createRequest }: { db: Tx; createRequest: CreateRequest },
  type: ResourceType,
  row: TaggedRow,
  { tags, renamed = false }: { tags: Tags | undefined; renamed?: boolean },
): Promise<CreatedRequest<"update_tags"> | undefined> {
  const { id, accountId } = row;
  requireLive(modelOf(type), row);
  const before = row.tags as Tags;
  const self = { type, id: String(id), before, after: tags ?? before };
  const changed = (await withParts(db, self)).filter((each) => !isDeepStrictEqual(each.before, each.after));
  if (changed.length === 0 && !renamed) return undefined;
  const rows = changed.map(({ type, id, after }) => {
    const set = Prisma.sql`tags = ${JSON.stringify(after)}::jsonb, updated_at = now()`;
    return Prisma.sql`UPDATE ${table(modelOf(type))} SET ${set} WHERE id = ${id}::${Prisma.raw(idTypeOf(type))}`;
  });
  const concerned = changed.some((each) => each === self) ? changed : [self, ...changed];
  const records = concerned.map(({ type, id, before, after }) => {
    return { type, id, removed: Object.keys(before).filter((key) => !(key in after)) };
  });
  return createRequest("update_tags", { accountId, resource: { type, id }, input: { records }, rows });
}

/** A changed record, and its parts at any depth. */
async function withParts(db: Tx, whole: Changed): Promise<Changed[]> {
  const all = [whole];
  const path = `${whole.type}.tags`;
  for (const type of partsOf(whole.type).filter((part) => resources[part].tagged)) {
    const rows = await db.$queryRaw<{ id: string | number; tags: Tags }[]>`
      SELECT id, tags FROM ${table(modelOf(type))}
      WHERE ${referenceTo(whole.type)} = ${whole.id}::${Prisma.raw(idTypeOf(whole.type))} AND deleted_at IS NULL
      ORDER BY id FOR NO KEY UPDATE`;
    for (const { id, tags } of rows) {
      const after = following(tags, whole);
      const { error } = tagsInput.safeParse(after);
      if (error) throw invalid(path, `the tags of ${nameOf(type)} ${id}: ${error.issues[0]?.message}`);
      all.push(...(await withParts(db, { type, id: String(id), before: tags, after })));
    }
  }
  return all;
}

/** The new tags of a part: a tag that changed on its whole changes on the part too, if the part had the same value. */
function following(own: Tags, { before, after }: Pick<Changed, "before" | "after">): Tags {
  const result = { ...own };
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (before[key] === after[key] || own[key] !== before[key]) continue;
    const value = after[key];
    if (value === undefined) delete result[key];
    else result[key] = value;
  }
  return result;
}

import { type Column, type Model, Prisma } from "@gantry/db";
import { idTypeOf, type ModelOf, modelOf, type ResourceType, resources, STATE } from "@gantry/resources";
import { WITH_LIVING_INDEX } from "../../http/reply/list.js";
import { isValidId, table } from "../../http/rows/rows.js";

/** The most records of a search's result. */
export const MAX_FOUND = 20;

/** The newest records of each type that a search reads. */
const MAX_READ = 10_000;

/** A shorter beginning of a UUID says nothing: those of one time begin alike. */
const MIN_UUID_PREFIX = 6;

/** The texts by which a search finds records, besides their ids; the first is the name. */
const TEXTS = {
  network: ["name"],
  server: ["name", "private_hostname", "public_hostname"],
  environment: ["name"],
  database_service: ["name"],
  database_server: ["provisioned_id", "endpoint"],
  auto_scaling_group: ["provisioned_id"],
  firewall: ["name"],
  volume: ["name"],
  address: ["ip_address"],
  iam_role: ["name"],
  provider: ["name", "provisioned_id"],
} satisfies { [Type in ResourceType]?: [Column<ModelOf<Type>>, ...Column<ModelOf<Type>>[]] };

export type SearchedType = keyof typeof TEXTS;

export const SEARCHED_TYPES = Object.keys(TEXTS) as SearchedType[];

/** What a search finds, best first; a record may occur twice. */
export interface Found {
  type: SearchedType | "request";
  id: string;
  name: string | null;
  detail: string | null;
}

/**
 * The records of an account that a text finds: first those with this very id, here or in AWS, then those with this name, then
 * those that begin with it, then those that contain it. Of each type it reads a limited number of rows.
 */
export function searchStatement(accountId: string, text: string): Prisma.Sql {
  const wanted = text.toLowerCase();
  const parts = [
    ...SEARCHED_TYPES.map((type) => recordsPart(type, accountId, wanted)),
    ...requestParts(accountId, wanted),
  ];
  return Prisma.sql`SELECT type, id, name, detail FROM (${Prisma.join(parts, " UNION ALL ")}) AS found
    ORDER BY rank, created_at DESC, type, id LIMIT ${2 * MAX_FOUND}`;
}

const EXACT_ID = Prisma.sql`0`;
const PREFIX = Prisma.sql`2`;

function recordsPart(type: SearchedType, accountId: string, wanted: string): Prisma.Sql {
  const model = modelOf(type);
  const [name, ...others] = TEXTS[type].map((text) => Prisma.raw(`"${text}"::text`)) as [Prisma.Sql, ...Prisma.Sql[]];
  const object = resources[type].cloudObject;
  const cloudId = object ? Prisma.raw(`"${object.column}"::text`) : Prisma.sql`NULL::text`;
  const detail = Prisma.sql`coalesce(${Prisma.join([cloudId, ...others, name])})`;
  const living = WITH_LIVING_INDEX.has(model) ? Prisma.sql`AND deleted_at IS NULL` : Prisma.empty;
  const own = Prisma.sql`FROM ${table(model)} WHERE account_id = ${accountId}::uuid`;
  const rows = [
    Prisma.sql`(SELECT * ${own} ${living} ORDER BY created_at DESC, id DESC LIMIT ${MAX_READ})`,
    ...(isValidId(model, wanted) ? [Prisma.sql`(SELECT * ${own} AND id = ${wanted})`] : []),
  ];
  const texts = Prisma.sql`lower(normalize(concat_ws(E'\n', ${Prisma.join([cloudId, name, ...others])})))`;
  const isPrefix = isIdPrefix(model, wanted) ? Prisma.sql`starts_with(id::text, ${wanted})` : Prisma.sql`FALSE`;
  return Prisma.sql`(SELECT ${type}::text AS type, id::text AS id, ${name} AS name, ${detail} AS detail, rank, created_at
    FROM (${Prisma.join(rows, " UNION ALL ")}) AS candidate CROSS JOIN LATERAL (SELECT ${texts} AS texts) AS searched
      CROSS JOIN LATERAL (SELECT CASE
        WHEN id::text = ${wanted} OR lower(${cloudId}) = ${wanted} THEN ${EXACT_ID}
        WHEN lower(normalize(${name})) = ${wanted} THEN 1
        WHEN ${isPrefix} OR starts_with(texts, ${wanted}) OR position(E'\n' || ${wanted} IN texts) > 0 THEN ${PREFIX}
        WHEN position(${wanted} IN texts) > 0 THEN 3 END AS rank) AS ranked
    WHERE deleted_at IS NULL AND rank IS NOT NULL ORDER BY rank, created_at DESC LIMIT ${MAX_FOUND})`;
}

/** Requests have no name: only their ids find them. */
function requestParts(accountId: string, wanted: string): Prisma.Sql[] {
  if (!isIdPrefix("request", wanted)) return [];
  const digits = wanted.replaceAll("-", "");
  const [lowest, highest] = [digits.padEnd(32, "0"), digits.padEnd(32, "f")];
  const newest = Prisma.sql`(SELECT id FROM (SELECT id FROM requests WHERE account_id = ${accountId}::uuid
      ORDER BY created_at DESC, id DESC LIMIT ${MAX_READ}) AS newest
    WHERE starts_with(id::text, ${wanted}) LIMIT ${MAX_FOUND})`;
  // Requests of all accounts, and so not too many.
  const inRange = Prisma.sql`(SELECT id FROM requests WHERE id BETWEEN ${lowest}::uuid AND ${highest}::uuid
    ORDER BY id DESC LIMIT 1000)`;
  const ids = isValidId("request", wanted) ? inRange : Prisma.sql`${newest} UNION ${inRange}`;
  return [
    Prisma.sql`(SELECT 'request' AS type, id::text AS id, type AS name, ${STATE} AS detail,
      CASE WHEN id::text = ${wanted} THEN ${EXACT_ID} ELSE ${PREFIX} END AS rank, created_at
    FROM requests WHERE account_id = ${accountId}::uuid AND id IN (${ids})
    LIMIT ${MAX_FOUND})`,
  ];
}

function isIdPrefix(model: Model, wanted: string): boolean {
  if (idTypeOf(model) === "integer") return isValidId(model, wanted);
  return wanted.length >= MIN_UUID_PREFIX && UUID_FORM.startsWith(wanted.replace(/[\da-f]/g, "0"));
}

const UUID_FORM = "00000000-0000-0000-0000-000000000000";

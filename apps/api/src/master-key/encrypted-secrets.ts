import { type Db, Prisma, type SecretLocation, type Vault } from "@gantry/db";
import { SEALED_COLUMNS, type SealedColumn } from "@gantry/resources";

const BATCH = 100;

/** The number of secrets, by the position of the master key that encrypted them. */
export type KeyCounts = Map<number | undefined, number>;

/** Counts the secrets. Those that no master key decrypts are counted under undefined. */
export async function countByKey(db: Db, vault: Vault): Promise<KeyCounts> {
  const counts: KeyCounts = new Map();
  for await (const { encrypted } of encryptedSecrets(db)) {
    const position = await vault.positionOfKey(encrypted);
    counts.set(position, (counts.get(position) ?? 0) + 1);
  }
  return counts;
}

/**
 * Encrypts again with the first master key every secret that another one encrypted. A secret that changes meanwhile stays as it was
 * written, and one that no key decrypts stays as it is. An interrupted call loses nothing; several may run at once.
 *
 * @param onProgress called after each row with the number of rows seen and of rows written
 * @returns the number of secrets that this call wrote
 */
export async function rotateSecrets(
  db: Db,
  vault: Vault,
  onProgress: (seen: number, written: number) => void = () => {},
): Promise<number> {
  let [seen, written] = [0, 0];
  for await (const { at, location, encrypted } of encryptedSecrets(db)) {
    const position = await vault.positionOfKey(encrypted);
    if (position !== undefined && position > 0) {
      const renewed = await vault.encrypt(await vault.decrypt(encrypted, location), location);
      written += await replace(db, at, location.id, encrypted, renewed);
    }
    onProgress(++seen, written);
  }
  return written;
}

/** Writes only over the bytes that were read. */
function replace(db: Db, at: SealedColumn, id: string, read: Uint8Array, renewed: Uint8Array): Promise<number> {
  const { column, key } = namesOf(at);
  return db.$executeRaw`
    UPDATE ${Prisma.raw(`"${at.table}"`)} SET ${column} = ${renewed}
    WHERE ${key} = ${id}::text::${Prisma.raw(at.keyType)} AND ${column} = ${read}`;
}

interface EncryptedSecret {
  at: SealedColumn;
  location: SecretLocation;
  encrypted: Uint8Array;
}

async function* encryptedSecrets(db: Db): AsyncGenerator<EncryptedSecret> {
  for (const at of SEALED_COLUMNS) {
    let last: string | undefined;
    for (;;) {
      const rows = await readBatch(db, at, last);
      for (const { row_key: id, account, encrypted } of rows)
        yield { at, location: { table: at.table, column: at.column, id, account }, encrypted };
      if (rows.length < BATCH) break;
      last = rows.at(-1)?.row_key;
    }
  }
}

function readBatch(db: Db, at: SealedColumn, last: string | undefined) {
  const { column, key } = namesOf(at);
  const account = Prisma.raw(at.ofAccount ? "account_id::text" : "'installation'");
  const after = last === undefined ? Prisma.empty : Prisma.sql`AND ${key} > ${last}::text::${Prisma.raw(at.keyType)}`;
  return db.$queryRaw<{ row_key: string; account: string; encrypted: Uint8Array }[]>`
    SELECT ${key}::text AS row_key, ${account} AS account, ${column} AS encrypted FROM ${Prisma.raw(`"${at.table}"`)}
    WHERE ${column} IS NOT NULL ${after} ORDER BY ${key} LIMIT ${BATCH}`;
}

function namesOf({ column, key }: SealedColumn) {
  return { column: Prisma.raw(`"${column}"`), key: Prisma.raw(`"${key}"`) };
}

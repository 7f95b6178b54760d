import { type Keypair, Prisma, type Tx } from "@gantry/db";
import { field, keypair } from "@gantry/resources";
import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { conflict } from "../../http/errors/errors.js";
import { strict } from "../../http/input/input.js";
import { nameText } from "../../http/input/names.js";
import { asSent } from "../../http/input/verbatim.js";
import { equals, indexed, integer, references, text } from "../../http/lists/filters.js";
import { many } from "../../http/reply/list.js";
import { created, empty, one } from "../../http/reply/reply.js";
import { alreadyDeleted } from "../../http/rows/live-rows.js";
import { where } from "../../http/rows/rows.js";
import { listChildren } from "../record-endpoints.js";
import { accountIdsOf, findVisibleUser } from "../users/user.visibility.js";
import { readPublicKey } from "./keypair.public-key.js";
import { findVisibleKeypair, keypairsOf, visibleKeypairs } from "./keypair.rules.js";

const list = many(keypair, {
  filters: {
    application: indexed(references("application")),
    user: indexed(equals(z.uuid(), "user_id")),
    name: text,
    fingerprint: text,
    id: indexed(integer()),
  },
});

/** A key grants access in the name of its user, in all of the user's accounts. */
const OWN_KEYS = "only the user or staff can change a user's keypairs";

const body = strict({
  keypair: strict({
    public_key: field(
      asSent(z.string().max(16_384)),
      "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGhVqPxe2yYVtE9oGmVbA8nJMmJ9cDk8lXWZ2w0cRzTn ada@example.com",
    ),
    name: nameText.optional(),
  }),
});

type Input = z.infer<typeof body>["keypair"];

export const keypairEndpoints = [
  endpoint({
    route: "POST /keypairs",
    self: "person",
    summary: "Add a keypair to the caller",
    body,
    transaction: true,
    reply: created(keypair),
    handle: async ({ body, caller, db, concern }) => {
      concern(await accountIdsOf(db, caller.user.id));
      return addToUser(db, caller.user.id, body.keypair);
    },
  }),

  endpoint({
    route: "POST /users/:user/keypairs",
    self: "person",
    summary: "Add a keypair to the caller, or, as staff, to any user",
    body,
    transaction: true,
    reply: created(keypair),
    handle: async ({ params, body, caller, db, concern }) => {
      const { id } = await findVisibleUser(db, caller, params.user);
      caller.requireSelf(id, OWN_KEYS);
      concern(await accountIdsOf(db, id));
      return addToUser(db, id, body.keypair);
    },
  }),

  endpoint({
    route: "POST /applications/:application/keypairs",
    summary: "Add a keypair to an application",
    body,
    transaction: true,
    reply: created(keypair),
    handle: async ({ params, body, caller, db }) => {
      const { id } = await caller.findLive("application", params.application, "update");
      return add(db, { applicationId: id }, body.keypair);
    },
  }),

  endpoint({
    route: "GET /keypairs",
    summary: "List the keypairs of the users and applications that the caller can see",
    reply: list,
    handle: ({ caller }) => visibleKeypairs(caller),
  }),

  endpoint({
    route: "GET /users/:user/keypairs",
    summary: "List a user's keypairs",
    reply: list,
    handle: async ({ params, caller, db }) =>
      where("keypair", { userId: (await findVisibleUser(db, caller, params.user)).id }),
  }),

  listChildren(
    "GET /applications/:application/keypairs",
    "List an application's keypairs",
    list,
    "keypair",
    "application",
  ),

  endpoint({
    route: "GET /environments/:environment/keypairs",
    summary: "List the keypairs of an environment's application and of the users who can change the environment",
    reply: list,
    handle: async ({ params, caller }) => keypairsOf(await caller.find("environment", params.environment)),
  }),

  endpoint({
    route: "GET /keypairs/:keypair",
    summary: "Show a keypair",
    reply: one(keypair),
    handle: ({ params, caller, db }) => findVisibleKeypair(db, caller, params.keypair),
  }),

  endpoint({
    route: "DELETE /keypairs/:keypair",
    self: "token",
    summary: "Remove a keypair",
    transaction: true,
    reply: empty,
    handle: async ({ params, caller, db, concern }) => {
      const { id, userId, applicationId } = await findVisibleKeypair(db, caller, params.keypair);
      if (userId !== null) {
        caller.requireSelf(userId, OWN_KEYS);
        concern(await accountIdsOf(db, userId));
      }
      if (applicationId !== null) await caller.find("application", applicationId);
      const { count } = await db.keypair.updateMany({
        where: { id, deletedAt: null },
        data: { deletedAt: new Date() },
      });
      if (count === 0) throw alreadyDeleted("keypair", id);
    },
  }),
];

async function addToUser(db: Tx, userId: string, input: Input): Promise<Keypair> {
  await db.$queryRaw(Prisma.sql`SELECT id FROM users WHERE id = ${userId} FOR NO KEY UPDATE`);
  return add(db, { userId }, input);
}

/** Call it with the owner's row locked, so that an owner has each key only once. */
async function add(db: Tx, owner: { userId: string } | { applicationId: number }, input: Input): Promise<Keypair> {
  const key = readPublicKey(input.public_key, "keypair.public_key");
  const { fingerprint } = key;
  const other = await db.keypair.findFirst({ where: { ...owner, fingerprint, deletedAt: null }, select: { id: true } });
  if (other)
    throw conflict(`the owner already has this key: keypair ${other.id}`, {
      path: "keypair.public_key",
      blocking: [`keypairs/${other.id}`],
    });
  return db.keypair.create({ data: { ...owner, ...key, name: input.name ?? null } });
}

import { EXAMPLE_UUID, field, idTypeOf, requestTypeDefinition, uuid } from "@gantry/resources";
import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { json } from "../../http/reply/reply.js";
import { type Found, MAX_FOUND, SEARCHED_TYPES, searchStatement } from "./search.statement.js";

const found = z
  .object({
    type: field(z.enum([...SEARCHED_TYPES, "request"]), "network"),
    id: field(z.union([z.int(), uuid]), EXAMPLE_UUID),
    name: field(z.string().nullable(), "shop"),
    detail: field(z.string().nullable(), "vpc-0123456789abcdef0"),
  })
  .meta({ id: "FoundRecord" });

export const searchEndpoints = [
  endpoint({
    route: "GET /accounts/:account/search",
    operation: "searchAccount",
    summary: `Find up to ${MAX_FOUND} records of an account by name, host, AWS id or prefix of an id`,
    query: {
      q: field(z.string().trim().max(100).default(""), "shop", "The text to find; case does not matter"),
    },
    reply: json(z.object({ results: z.array(found) })),
    handle: async ({ params, query: { q }, caller, db }) => {
      const { id } = await caller.find("account", params.account);
      if (q === "") return { results: [] };
      const rows = await db.$queryRaw<Found[]>(searchStatement(id, q));
      const once = new Map(rows.map((row) => [`${row.type}/${row.id}`, row]));
      return { results: [...once.values()].slice(0, MAX_FOUND).map(shown) };
    },
  }),
];

function shown({ type, id, name, detail }: Found): z.infer<typeof found> {
  if (type === "request") return { type, id, name: requestTypeDefinition(name ?? "")?.title ?? name, detail };
  return { type, id: idTypeOf(type) === "integer" ? Number(id) : id, name, detail };
}

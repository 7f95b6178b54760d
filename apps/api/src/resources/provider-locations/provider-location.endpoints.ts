import { REGION_NAMES } from "@gantry/aws-facts";
import { Prisma, type Provider, type ProviderLocation, type Tx } from "@gantry/db";
import { field, providerLocation } from "@gantry/resources";
import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { conflict, notFound } from "../../http/errors/errors.js";
import { strict } from "../../http/input/input.js";
import { equals, references, text } from "../../http/lists/filters.js";
import { type Listed, many } from "../../http/reply/list.js";
import { one, type Reply, requested } from "../../http/reply/reply.js";
import { fetchRows, isValidId, type Order, where } from "../../http/rows/rows.js";
import { requireUsable } from "../providers/provider.rules.js";
import { isProviderType } from "../providers/provider.types.js";
import { showRecord } from "../record-endpoints.js";

const filters = {
  provider: references("provider", "provider_id"),
  location_id: text,
  name: equals(z.string(), "location_name"),
};

const plainLocations = z.object({
  locations: z.array(z.object({ id: field(z.string(), "1"), name: field(z.string(), "shop") })),
});
const list = many(providerLocation, { filters });

/** A provider's locations, or the regions of a provider type. */
const locationsReply: Reply<z.infer<typeof plainLocations> | Listed<ProviderLocation>> = {
  ...list,
  schema: z.union([plainLocations, z.object({ provider_locations: z.array(providerLocation.record) })]),
  render: (output, answering) => ("locations" in output ? { body: output } : list.render(output, answering)),
};

const REGIONS_FIRST: Order<"providerLocation"> = {
  expression: Prisma.sql`(parent_id IS NULL)`,
  type: "boolean",
  descending: true,
  valueOf: ({ parentId }) => parentId === null,
};

const limit = field(z.int().min(0).max(100_000).nullable().optional(), 20, "Null removes the limit");

export const providerLocationEndpoints = [
  endpoint({
    route: "GET /providers/:provider/locations",
    summary: "List the locations of a provider, its regions first, or the regions of a provider type such as `aws`",
    reply: locationsReply,
    handle: async ({ params, caller }) => {
      if (isProviderType(params.provider)) return { locations: [...REGION_NAMES].map(([id, name]) => ({ id, name })) };
      const { id: providerId } = await caller.find("provider", params.provider);
      return { ...where("providerLocation", { providerId }), order: REGIONS_FIRST };
    },
  }),

  endpoint({
    route: "PUT /providers/:provider/locations/discover",
    operation: "discoverProviderLocations",
    summary: "Discover a provider's regions and their zones",
    transaction: true,
    reply: requested("discover_provider_locations"),
    handle: async ({ params, caller, createRequest }) => {
      const provider = await caller.find("provider", params.provider);
      requireUsable(provider);
      const resource = { type: "provider", id: provider.id } as const;
      return createRequest("discover_provider_locations", { accountId: provider.accountId, resource, input: {} });
    },
  }),

  endpoint({
    route: "PUT /providers/:provider/locations/:location/discover",
    summary: "Discover the zones of a region, given by its record's id or its AWS id",
    transaction: true,
    reply: requested("discover_provider_location"),
    handle: async ({ params, caller, db, createRequest }) => {
      const provider = await caller.find("provider", params.provider);
      requireUsable(provider);
      const { id, accountId, parentId } = await findLocation(db, provider, params.location);
      if (parentId) throw conflict("a zone has no locations to discover");
      return createRequest("discover_provider_location", {
        accountId,
        resource: { type: "provider_location", id },
        input: {},
      });
    },
  }),

  showRecord(
    "GET /provider-locations/:provider_location_id",
    "Show a location",
    one(providerLocation),
    "providerLocation",
  ),

  endpoint({
    route: "GET /provider-locations/:provider_location_id/provider-locations",
    operation: "listProviderLocationZones",
    summary: "List the zones of a region",
    reply: list,
    handle: async ({ params, caller }) =>
      where("providerLocation", { parentId: (await caller.find("providerLocation", params.provider_location_id)).id }),
  }),

  endpoint({
    route: "PUT /provider-locations/:provider_location_id",
    summary: "Limit the servers and addresses of a region",
    access: "admin",
    body: strict({
      provider_location: strict({ limits: strict({ servers: limit, addresses: limit }) }),
    }),
    reply: one(providerLocation),
    handle: async ({ params, body, caller, db }) => {
      const { id, parentId } = await caller.find("providerLocation", params.provider_location_id);
      if (parentId) throw conflict("a zone has no limits of its own");
      const { servers, addresses } = body.provider_location.limits;
      const limits = {
        ...(servers !== undefined && { serverLimit: servers }),
        ...(addresses !== undefined && { addressLimit: addresses }),
      };
      return db.providerLocation.update({ where: { id }, data: limits });
    },
  }),
];

async function findLocation(db: Tx, { id: providerId }: Provider, location: string): Promise<ProviderLocation> {
  const identified = isValidId("providerLocation", location)
    ? Prisma.sql`id = ${location}`
    : Prisma.sql`location_id = ${location}`;
  const statement = Prisma.sql`SELECT * FROM provider_locations WHERE provider_id = ${providerId} AND ${identified}`;
  const [found] = await fetchRows(db, "providerLocation", statement);
  if (!found) throw notFound();
  return found;
}

import { z } from "zod";
import { type Endpoint, endpoint, type Route, withPatch } from "../endpoint.js";
import { strict } from "../input/input.js";
import { empty } from "../reply/reply.js";
import { describe as describeApi } from "./document.js";
import { operationName } from "./operation-names.js";

const put = (route: Route, body?: z.ZodType) =>
  endpoint({ route, summary: "Do it", reply: empty, handle: () => {}, ...(body && { body }) }) as Endpoint;

// biome-ignore lint/suspicious/noExplicitAny: the test reads the document as a client does.
const described = (...endpoints: Endpoint[]): any => describeApi(endpoints, "1", "https://gantry.example");
const bodyOf = (body: z.ZodType) => described(put("PUT /tools/:tool", body)).paths["/tools/{tool}"].put.requestBody;
const schemaOf = (body: z.ZodType) => described(put("PUT /tools/:tool", body)).components.schemas.UpdateToolInput;

it("describes each path once, even if its endpoints name the parameters differently", () => {
  const { paths, components } = described(put("PUT /boxes/:box/parts"), put("POST /boxes/:id/parts"));
  expect(Object.keys(paths)).toEqual(["/boxes/{box}/parts"]);
  const box = { $ref: "#/components/parameters/BoxId" };
  for (const { parameters } of Object.values<{ parameters: object[] }>(paths["/boxes/{box}/parts"]))
    expect(parameters).toContainEqual(box);
  expect(components.parameters.BoxId).toMatchObject({ name: "box", in: "path" });
});

it("contains the URL of the server", () => {
  expect(described().servers).toEqual([{ url: "https://gantry.example" }]);
});

it("declares a conflict for every change and for no read", () => {
  const read = endpoint({ route: "GET /tools/:tool", summary: "Show it", reply: empty, handle: () => {} }) as Endpoint;
  const { get, delete: remove } = described(read, put("DELETE /tools/:tool")).paths["/tools/{tool}"];
  expect(["409" in get.responses, "409" in remove.responses]).toEqual([false, true]);
});

it("declares the errors of each operation, and which statuses a response includes", () => {
  const { paths, components } = described(put("PUT /tools/:tool"));
  const answers = Object.entries<{ $ref?: string }>(paths["/tools/{tool}"].put.responses);
  const refusals = answers.filter(([status]) => !status.startsWith("2"));
  const statuses = refusals.flatMap(([status, { $ref }]) => {
    const { description, "x-statuses": several } = components.responses[$ref?.split("/").at(-1) ?? ""];
    for (const [each, meaning] of Object.entries(several ?? {})) expect(description).toContain(`${each}: ${meaning}`);
    return Object.keys(several ?? { [status]: "" }).map(Number);
  });
  const all = [400, 401, 403, 404, 405, 406, 408, 409, 412, 413, 415, 422, 429, 431, 500, 503];
  expect(statuses.toSorted((one, other) => one - other)).toEqual(all);
});

it("requires a token, except for operations that need none", () => {
  const free = endpoint({ route: "GET /tools", summary: "List", access: "anyone", reply: empty, handle: () => {} });
  const { security, paths } = described(free as Endpoint, put("PUT /tools/:tool"));
  expect(security).toEqual([{ token: [] }]);
  expect([paths["/tools"].get.security, paths["/tools/{tool}"].put.security]).toEqual([[], undefined]);
});

it("defines long values that bodies share only once", () => {
  const name = z.string().regex(new RegExp(`^[${"a".repeat(150)}]*$`));
  const { paths: _paths, components } = described(
    put("PUT /tools/:tool", strict({ name, size: z.int() })),
    put("PUT /lamps/:lamp", strict({ name, size: z.int() })),
  );
  const { UpdateToolInput, UpdateLampInput, NameValue } = components.schemas;
  for (const { properties } of [UpdateToolInput, UpdateLampInput])
    expect(properties).toMatchObject({ name: { $ref: "#/components/schemas/NameValue" }, size: { type: "integer" } });
  expect(NameValue.type).toBe("string");
});

it("names a parameter after the list if lists differ in it", () => {
  const lists = (plural: string, name: string, paths: Endpoint["path"][], state: z.ZodType): Endpoint[] => {
    const schema = z.object({ [plural]: z.array(z.object({ id: z.string() }).meta({ id: name })) });
    return paths.map((path) => ({
      ...put("PUT /"),
      method: "GET",
      path,
      query: { state },
      reply: { status: 200, schema } as never,
    }));
  };
  const { components, paths } = described(
    ...lists("tools", "Tool", ["/tools", "/a/tools", "/b/tools"], z.enum(["new"])),
    ...lists("boxes", "Box", ["/boxes", "/a/boxes"], z.enum(["old"])),
  );
  expect(components.parameters.State.schema.enum).toEqual(["new"]);
  expect(components.parameters.BoxListState.schema.enum).toEqual(["old"]);
  expect(paths["/boxes"].get.parameters).toContainEqual({ $ref: "#/components/parameters/BoxListState" });
});

it("writes patterns without flags", () => {
  const { properties } = schemaOf(strict({ name: z.string().regex(/^[a-z]+$/u), path: z.string().regex(/^\/x/) }));
  expect([properties.name.pattern, properties.path.pattern]).toEqual(["^[a-z]+$", "^\\/x"]);
});

it("allows null only for optional parameters", () => {
  const inner = strict({ size: z.int().default(1), kind: z.enum(["a", "b"]).optional(), name: z.string() });
  const { properties } = schemaOf(
    strict({ inner: inner.optional(), either: z.union([z.string(), z.int()]).optional() }),
  );
  expect(properties.inner.type).toEqual(["object", "null"]);
  const { size, kind, name } = properties.inner.properties;
  // A parameter with a default needs no null to be absent, and generators stumble over it.
  expect([size.type, kind.type, name.type]).toEqual(["integer", ["string", "null"], "string"]);
  expect(kind.enum).toEqual(["a", "b", null]);
  expect(properties.either.anyOf).toContainEqual({ type: "null" });
});

it("requires a body only if a parameter is required", () => {
  expect(bodyOf(strict({ name: z.string() })).required).toBe(true);
  const optional = strict({ name: z.string().optional() });
  expect(bodyOf(optional).required).toBe(false);
});

it("names a body after its operation, and shares it between PUT and PATCH", () => {
  const tools = withPatch([put("PUT /tools/:tool", strict({ name: z.string() }))]);
  const { paths, components } = described(...tools);
  const $ref = "#/components/schemas/UpdateToolInput";
  expect(Object.keys(components.schemas)).toContain("UpdateToolInput");
  for (const operation of Object.values<{ requestBody: { content: object } }>(paths["/tools/{tool}"]))
    expect(operation.requestBody.content).toMatchObject({ "application/json": { schema: { $ref } } });
});

it.each([
  ["GET", "/servers", "listServers"],
  ["GET", "/servers/:server", "getServer"],
  ["POST", "/networks", "createNetwork"],
  ["PATCH", "/accounts/:account", "patchAccount"],
  ["DELETE", "/addresses/:address", "deleteAddress"],
  ["POST", "/environments/:environment/boot", "bootEnvironment"],
  ["GET", "/environments/:environment/servers", "listEnvironmentServers"],
  ["POST", "/accounts/:account/service-tokens", "createAccountServiceToken"],
  ["GET", "/webhooks/:webhook/deliveries", "listWebhookDeliveries"],
])("names an operation after its route: %s %s is %s", (method, path, name) => {
  expect(operationName(method, path)).toBe(name);
});

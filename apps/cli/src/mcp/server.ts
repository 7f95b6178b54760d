import { version } from "@gantry/client";
import { McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import { operationOf } from "./call.js";
import { errorText } from "./errors.js";
import type { Plans } from "./plans.js";
import { addResources } from "./resources.js";
import { type Tool, toolsOf } from "./tools.js";

const INSTRUCTIONS =
  "Gantry runs networks, servers and databases in AWS. A change takes three steps: list_operations for its input, make_plan for its effect and cost, run_plan. Show the plan to the user before run_plan. Names do where ids are asked for.";

/** A server of the protocol over a plan store, which outlives it: over HTTP, every call has its own server. */
export function serverOf(plans: Plans, { allowChanges }: { allowChanges: boolean }): McpServer {
  const tools = toolsOf(plans);
  const shown = Object.entries(tools).filter(([, { effect }]) => allowChanges || effect === "read");
  const server = new McpServer({ name: "gantry", version }, { instructions: INSTRUCTIONS });
  server.server.registerCapabilities({ tools: {} });
  server.server.setRequestHandler("tools/list", () => ({ tools: shown.map(([name, tool]) => listed(name, tool)) }));
  server.server.setRequestHandler("tools/call", async ({ params: { name, arguments: args } }, { mcpReq }) => {
    const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
    if (!tool) return failure(`there is no tool ${name}: ${shown.map(([known]) => known).join(", ")}`);
    if (!allowChanges && tool.effect === "change")
      return failure(
        `${name} is not allowed: this server only reads. Its user allows it with: gantry mcp --allow-changes`,
      );
    try {
      return { content: [{ type: "text", text: await tool.run(args, mcpReq.signal) }] };
    } catch (error) {
      return failure(errorText(error, await flagsNamed(args)));
    }
  });
  addResources(server, plans.session);
  return server;
}

/** A tool as hosts see it. Unknown arguments are refused without a word about it here, which would cost tokens. */
function listed(name: string, { description, input, effect }: Tool) {
  const { properties = {}, required } = z.toJSONSchema(input, { io: "input" });
  const annotations =
    effect === "read" ? { readOnlyHint: true } : { readOnlyHint: false, destructiveHint: true, idempotentHint: true };
  return {
    name,
    description,
    inputSchema: { type: "object" as const, properties: plain(properties), ...(required && { required }) },
    annotations,
  };
}

/** The SDK's type of a schema is that of any JSON, and zod's is narrower. */
function plain(properties: object) {
  return JSON.parse(JSON.stringify(properties));
}

function failure(text: string) {
  return { content: [{ type: "text" as const, text }], isError: true };
}

/** The flags of the operation that a call names. */
async function flagsNamed(args: Record<string, unknown> | undefined) {
  const name = args?.operation ?? `${args?.collection} ${args?.part ?? "list"}`;
  try {
    return (await operationOf(String(name))).facts.flags;
  } catch {
    return [];
  }
}

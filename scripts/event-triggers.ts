import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tableOf } from "@gantry/db";
import { type EventFacts, modelOf, type ResourceType, resources, resourceTypes } from "@gantry/resources";

export const EVENT_TRIGGERS = "prisma/functions/resource-events.sql";

/** Writes the triggers that record the events of resources. Returns false if the file is current. */
export function writeEventTriggers(root: string): boolean {
  if (areEventTriggersCurrent(root)) return false;
  writeFileSync(join(root, EVENT_TRIGGERS), eventTriggers());
  return true;
}

/** Returns true if the file holds the triggers that follow from the facts. */
export function areEventTriggersCurrent(root: string): boolean {
  const file = join(root, EVENT_TRIGGERS);
  return existsSync(file) && readFileSync(file, "utf8") === eventTriggers();
}

function eventTriggers(): string {
  const triggers = resourceTypes.flatMap((type) => {
    const { events, sealed = [] } = resources[type];
    return events ? [triggersOf(type, events, sealed)] : [];
  });
  return ["-- Written by `npm run migration` from the facts in packages/resources.\n", ...triggers].join("\n");
}

function triggersOf(type: ResourceType, { hidden = [], silent = [] }: EventFacts, sealed: readonly string[]): string {
  const table = tableOf(modelOf(type));
  const left = [...sealed, ...hidden];
  const created = left.length > 0 ? `'${type}', ${array(left)}` : `'${type}'`;
  return `CREATE OR REPLACE TRIGGER record_event_of_creation AFTER INSERT ON "${table}" FOR EACH ROW
  EXECUTE FUNCTION record_event_of_creation(${created});
CREATE OR REPLACE TRIGGER record_event_of_change AFTER UPDATE ON "${table}" FOR EACH ROW
  EXECUTE FUNCTION record_event_of_change('${type}', ${array(left)}, ${array(["updated_at", ...silent])});
`;
}

const array = (columns: readonly string[]) => `'{${columns.join(",")}}'`;

import { v5 as uuidv5 } from "uuid";
import type { StageContext } from "./workflow.js";

/** Adds a message to the Request, once however often it is called. */
export async function addMessage(
  { db, request }: Pick<StageContext<unknown, never>, "db" | "request">,
  message: string,
): Promise<void> {
  const data = { id: uuidv5(message, request.id), requestId: request.id, message };
  await db.requestMessage.createMany({ data, skipDuplicates: true });
}

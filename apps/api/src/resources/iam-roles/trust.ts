import { z } from "zod";
import { strict } from "../../http/input.js";

const SERVICE = "ec2.amazonaws.com";
const service = z.literal(SERVICE);
const action = z.literal("sts:AssumeRole");

/** Who may assume a role: servers, and nobody else. A single service or action may stand without its list. */
export const trustDocument = strict({
  Version: z.literal(["2012-10-17", "2008-10-17"]),
  Statement: z
    .array(
      strict({
        Sid: z
          .string()
          .regex(/^[0-9A-Za-z]*$/)
          .optional(),
        Effect: z.literal("Allow"),
        Principal: strict({ Service: listOf(service) }),
        Action: listOf(action),
      }),
    )
    .min(1)
    .max(1),
});

export type TrustDocument = z.infer<typeof trustDocument>;

/** What a role trusts unless it is told otherwise. */
export const EC2_TRUST: TrustDocument = {
  Version: "2012-10-17",
  Statement: [{ Effect: "Allow", Principal: { Service: [SERVICE] }, Action: ["sts:AssumeRole"] }],
};

function listOf<Item extends z.ZodType>(item: Item) {
  return z.preprocess((given) => (typeof given === "string" ? [given] : given), z.array(item).length(1));
}

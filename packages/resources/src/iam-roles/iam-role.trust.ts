import { z } from "zod";

const SERVICE = "ec2.amazonaws.com";
const service = z.literal(SERVICE);
const action = z.literal("sts:AssumeRole");

/** A trust policy that lets only servers assume the role. A single service or action is accepted without its list. */
export const trustDocument = z.strictObject({
  Version: z.literal(["2012-10-17", "2008-10-17"]),
  Statement: z
    .array(
      z.strictObject({
        Sid: z
          .string()
          .regex(/^[0-9A-Za-z]*$/)
          .optional(),
        Effect: z.literal("Allow"),
        Principal: z.strictObject({ Service: listOf(service) }),
        Action: listOf(action),
      }),
    )
    .min(1)
    .max(1),
});

export type TrustDocument = z.infer<typeof trustDocument>;

/** The trust policy of a role whose input has none. */
export const EC2_TRUST: TrustDocument = {
  Version: "2012-10-17",
  Statement: [{ Effect: "Allow", Principal: { Service: [SERVICE] }, Action: ["sts:AssumeRole"] }],
};

function listOf<Item extends z.ZodType>(item: Item) {
  return z.preprocess((input) => (typeof input === "string" ? [input] : input), z.array(item).length(1));
}

import type { Parameter, Schema } from "../http/openapi/schemas.js";

/** The description of the API, as far as its pages read it. */
export interface Description {
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    parameters: Record<string, Parameter>;
    responses: Record<string, Answer>;
  };
}

export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security?: [];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, Answer>;
}

export interface Answer {
  $ref?: string;
  description?: string;
  content?: Record<string, Content>;
  /** The meanings of the statuses of the answer, if it represents several. */
  "x-statuses"?: Record<string, string>;
}

export interface Content {
  schema: Schema;
}

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";

/** A span as a collector of traces received it. */
export interface ReceivedSpan {
  service: string;
  traceId: string;
  spanId: string;
  /** The id of the span above; empty if there is none. */
  parentId: string;
  name: string;
  /** 1 internal, 2 server, 3 client. */
  kind: number;
  startNs: bigint;
  endNs: bigint;
  attributes: Record<string, unknown>;
  hasFailed: boolean;
}

export interface OtlpReceiver {
  /** The value of OTEL_EXPORTER_OTLP_ENDPOINT. */
  url: string;
  spans: ReceivedSpan[];
  /** All bytes that arrived, as text. */
  text(): string;
  close(): Promise<void>;
}

/** Starts a collector of traces on this machine. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const bodies: Buffer[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const sent = Buffer.concat(chunks);
      const body = request.headers["content-encoding"] === "gzip" ? gunzipSync(sent) : sent;
      bodies.push(body);
      if (request.url === "/v1/traces") spans.push(...spansOf(body));
      response.writeHead(200, { "content-type": "application/x-protobuf" }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve).unref());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    text: () => Buffer.concat(bodies).toString("latin1"),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

// The numbers are those of the fields in opentelemetry-proto's trace.proto and common.proto.
function spansOf(body: Buffer): ReceivedSpan[] {
  return messagesOf(body, 1).flatMap((resourceSpans) => {
    const resource = attributesOf(messagesOf(resourceSpans, 1)[0] ?? Buffer.alloc(0), 1);
    const spans = messagesOf(resourceSpans, 2).flatMap((scopeSpans) => messagesOf(scopeSpans, 2));
    return spans.map((span) => spanOf(span, String(resource["service.name"])));
  });
}

function spanOf(span: Buffer, service: string): ReceivedSpan {
  const fields = fieldsOf(span);
  const hex = (number: number) => (fields.get(number)?.[0] as Buffer | undefined)?.toString("hex") ?? "";
  const [status] = messagesOf(span, 15);
  return {
    service,
    traceId: hex(1),
    spanId: hex(2),
    parentId: hex(4),
    name: String(fields.get(5)?.[0] ?? ""),
    kind: Number(fields.get(6)?.[0] ?? 0),
    startNs: (fields.get(7)?.[0] ?? 0n) as bigint,
    endNs: (fields.get(8)?.[0] ?? 0n) as bigint,
    attributes: attributesOf(span, 9),
    hasFailed: status !== undefined && fieldsOf(status).get(3)?.[0] === 2n,
  };
}

function attributesOf(message: Buffer, number: number): Record<string, unknown> {
  return Object.fromEntries(
    messagesOf(message, number).map((attribute) => {
      const fields = fieldsOf(attribute);
      const [value] = [...fieldsOf((fields.get(2)?.[0] ?? Buffer.alloc(0)) as Buffer)];
      const [kind, [first] = []] = value ?? [];
      return [String(fields.get(1)?.[0]), kind === 1 ? String(first) : kind === 2 ? first === 1n : Number(first)];
    }),
  );
}

function messagesOf(message: Buffer, number: number): Buffer[] {
  return (fieldsOf(message).get(number) ?? []) as Buffer[];
}

/** The fields of a protobuf message by their numbers: a number of any width, or bytes. */
function fieldsOf(message: Buffer): Map<number, (bigint | Buffer)[]> {
  const fields = new Map<number, (bigint | Buffer)[]>();
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message[at++] ?? 0;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const bytes = (length: number) => {
    at += length;
    return message.subarray(at - length, at);
  };
  while (at < message.length) {
    const tag = Number(varint());
    const read = [varint, () => bytes(8).readBigUInt64LE(), () => bytes(Number(varint()))][tag & 7];
    const value = read ? read() : BigInt(bytes(4).readUInt32LE());
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value]);
  }
  return fields;
}

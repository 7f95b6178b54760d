import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { buffer } from "node:stream/consumers";
import { httpServer } from "@gantry/api";
import { countRows } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";

const { api, db, owner } = await startApiTest();
const server = httpServer(api.app);

beforeAll(() => once(server.listen(0, "127.0.0.1"), "listening"));
afterAll(async () => {
  const closed = once(server, "close");
  server.close();
  await closed;
});

/** Sends bytes as they are, in which no client puts bytes that are not UTF-8, and returns the status and the body. */
async function send(start: Buffer, headers: Record<string, string> = {}, body = Buffer.alloc(0)) {
  const sent = {
    Host: "a",
    Connection: "close",
    Authorization: `Bearer ${owner.token}`,
    "Content-Length": String(body.length),
    ...headers,
  };
  const head = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write(Buffer.concat([start, Buffer.from(` HTTP/1.1\r\n${head.join("")}\r\n`), body]));
  const answer = (await buffer(socket)).toString();
  const [status] = /(?<=^HTTP\/1.1 )\d+/.exec(answer) ?? [];
  return { status: Number(status), body: JSON.parse(answer.slice(answer.indexOf("\r\n\r\n"))) };
}

const around = (before: string, bytes: Buffer, after: string) =>
  Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]);
const escaped = (bytes: Buffer) => Buffer.from(bytes.toString("hex").replace(/../g, "%$&"));
const FORM = { "Content-Type": "application/x-www-form-urlencoded" };

/** The positions of bytes in an input, and the answer if they are UTF-8. */
const PLACES: Record<string, [accepted: number, send: (bytes: Buffer) => ReturnType<typeof send>]> = {
  "a body": [
    201,
    (bytes) =>
      send(
        Buffer.from("POST /accounts"),
        { "Content-Type": "application/json" },
        around('{"account":{"name":"caf', bytes, '"}}'),
      ),
  ],
  "a form": [201, (bytes) => send(around("POST /accounts?account[name]=caf", escaped(bytes), ""), FORM)],
  "a form's name": [422, (bytes) => send(around("POST /accounts?account[n", escaped(bytes), "]=x"), FORM)],
  "a query": [200, (bytes) => send(around("GET /accounts?name=caf", escaped(bytes), ""))],
  "a path": [404, (bytes) => send(around("GET /accounts/caf", escaped(bytes), ""))],
};

const NOT_UTF8: [string, number[]][] = [
  ["a byte that begins no character", [0xff]],
  ["half a character", [0xc3]],
  ["a slash in two bytes", [0xc0, 0xaf]],
  ["half of a surrogate pair", [0xed, 0xa0, 0x80]],
];

describe.each(Object.entries(PLACES))("%s", (_place, [accepted, sendBytes]) => {
  it("can contain UTF-8, which is stored unchanged", async () => {
    const { status, body } = await sendBytes(Buffer.from("é"));
    expect(status).toBe(accepted);
    if (status === 201) expect(body.account.name).toBe("café");
  });

  it.each(NOT_UTF8)("answers %s with 400, and changes nothing", async (_bytes, bytes) => {
    const before = await countRows(db);
    const { status, body } = await sendBytes(Buffer.from(bytes));
    expect([status, body.code]).toEqual([400, "bad_request"]);
    expect(await countRows(db)).toEqual(before);
  });
});

it.each([[0xc3, 0xa9], ...NOT_UTF8.map(([, bytes]) => bytes)])(
  "refuses bytes that are not escaped, from %d",
  async (...bytes) => {
    const { status, body } = await send(around("GET /accounts?name=", Buffer.from(bytes), ""));
    expect([status, body.code]).toEqual([400, "bad_request"]);
  },
);

it("refuses a body in another character set", async () => {
  const type = { "Content-Type": "application/json; charset=utf-16le" };
  const { status, body } = await send(Buffer.from("POST /accounts"), type, Buffer.from('{"account":{}}', "utf16le"));
  expect([status, body.code]).toEqual([415, "unsupported_charset"]);
});

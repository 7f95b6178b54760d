import { EventEmitter, once } from "node:events";
import { Writable } from "node:stream";
import { createLog } from "./log.js";
import { OutageLog } from "./outage-log.js";

it("logs an outage once, even if every other try works, and its end", async () => {
  const lines: { msg: string; failures?: number }[] = [];
  const written = new EventEmitter();
  const write = (chunk: Buffer, _: string, done: () => void) => {
    lines.push(JSON.parse(String(chunk)));
    written.emit("line");
    done();
  };
  const outage = new OutageLog(createLog("worker", "info", new Writable({ write })), "work");
  for (let i = 0; i < 100; i++) {
    outage.failed(new Error("refused"));
    outage.worked();
  }
  expect(lines.map(({ msg }) => msg)).toEqual(["work failed; will retry"]);
  await once(written, "line");
  expect(lines[1]).toMatchObject({ msg: "work works again", failures: 100 });
  outage.failed(new Error("refused again"));
  expect(lines).toHaveLength(3);
});

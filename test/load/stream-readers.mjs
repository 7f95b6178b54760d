// Opens streams of server-sent events and counts their events, in its own process, so that the reading slows no
// measurement. Over IPC it gets { streams: [{ url, token, until }] }, says { open: true }, answers "count" with the
// counts, and says { ended: [milliseconds] } when each stream has had `until` events.
import { Agent, get } from "node:http";

const agent = new Agent({ keepAlive: false });
const counts = [];

process.on("message", async (message) => {
  if (message === "count") return process.send({ counts });
  const read = await Promise.all(message.streams.map(open));
  process.send({ open: true });
  const ended = await Promise.all(read.map(({ end }) => end));
  process.send({ ended });
});

/** Resolves when the answer begins; `end` resolves with the milliseconds until the stream had `until` events. */
function open({ url, token, until = Number.POSITIVE_INFINITY }, index) {
  counts[index] = 0;
  const start = performance.now();
  const headers = { authorization: `Bearer ${token}`, accept: "text/event-stream" };
  return new Promise((resolve, reject) => {
    const request = get(url, { agent, headers }, (answer) => {
      if (answer.statusCode !== 200) return reject(new Error(`${url} answered ${answer.statusCode}`));
      const end = new Promise((resolve) => {
        let rest = "";
        answer.setEncoding("latin1").on("data", (text) => {
          const lines = (rest + text).split("\n");
          rest = lines.pop();
          for (const line of lines) if (line.startsWith("data:")) counts[index] += 1;
          if (counts[index] < until) return;
          resolve(performance.now() - start);
          request.destroy();
        });
        answer.on("error", () => {});
      });
      resolve({ end });
    });
    request.on("error", (error) => (error.code === "ECONNRESET" ? undefined : reject(error)));
  });
}

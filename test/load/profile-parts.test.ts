import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { partsOf } from "./profile-parts.js";

it("counts what Node does for the package or the file that called it, and no idle time", () => {
  const frame = (functionName: string, path = "") => ({
    callFrame: {
      functionName,
      url: path && String(new URL(`../../${path}`, import.meta.url)),
      lineNumber: 0,
      columnNumber: 0,
    },
  });
  const nodes = [
    { id: 1, ...frame("(root)"), children: [2, 4, 6, 7] },
    { id: 2, ...frame("send", "node_modules/@a/b/c.js"), children: [3] },
    { id: 3, ...frame("writev") },
    { id: 4, ...frame("run", "apps/run.js"), children: [5] },
    { id: 5, ...frame("send", "node_modules/.pnpm/@a+b/node_modules/@a/b/c.js") },
    { id: 6, ...frame("(idle)") },
    { id: 7, ...frame("(garbage collector)") },
  ];
  const folder = mkdtempSync(join(tmpdir(), "gantry-profile-"));
  const file = join(folder, "1.cpuprofile");
  writeFileSync(file, JSON.stringify({ nodes, samples: [2, 3, 4, 5, 6, 7], timeDeltas: [10, 20, 40, 10, 900, 20] }));
  const parts = Object.fromEntries(partsOf(file).map(({ name, share }) => [name, share]));
  rmSync(folder, { recursive: true });
  expect(parts).toEqual({ "@a/b": 0.4, "apps/run.js": 0.4, "(garbage collector)": 0.2 });
});

import { pendingText } from "./pending.js";

it("names each value that waits", () => {
  expect(pendingText({ flavor: "db.m7g.large", storage_type: "gp3", iops: null })).toBe(
    "flavor db.m7g.large, storage type gp3",
  );
});

import { sharedRead } from "./shared-read.js";

/** A read that ends when the test says so, by the number of the call. */
function controlledRead() {
  const ends: ((value: string) => void)[] = [];
  const read = () => new Promise<string>((resolve) => void ends.push(resolve));
  return { ends, read };
}

it("begins no second read while the first one lasts longer than its limit", async () => {
  const { ends, read } = controlledRead();
  const shared = sharedRead(read, { limitMs: 1 });
  expect(await shared()).toBeUndefined();
  expect(await shared()).toBeUndefined();
  expect(ends).toHaveLength(1);
});

it("shares a read between the calls during it, and reads again afterwards", async () => {
  const { ends, read } = controlledRead();
  const shared = sharedRead(read);
  const answers = [shared(), shared()];
  ends[0]?.("first");
  expect(await Promise.all(answers)).toEqual(["first", "first"]);
  const next = shared();
  ends[1]?.("second");
  expect(await next).toBe("second");
});

it("reads again after a read that is lost, whose late end starts no third one", async () => {
  const now = jest.spyOn(performance, "now").mockReturnValue(0);
  const { ends, read } = controlledRead();
  const shared = sharedRead(read, { limitMs: 1, lostMs: 60_000 });
  await shared();
  now.mockReturnValue(60_001);
  const next = shared();
  expect(ends).toHaveLength(2);
  ends[0]?.("late");
  await next;
  const last = shared();
  ends[1]?.("current");
  expect(await last).toBe("current");
  expect(ends).toHaveLength(2);
});

it("returns nothing after a read that fails, and reads again", async () => {
  let reads = 0;
  const shared = sharedRead(async () => {
    reads += 1;
    if (reads === 1) throw new Error("unreachable");
    return reads;
  });
  expect(await shared()).toBeUndefined();
  expect(await shared()).toBe(2);
});

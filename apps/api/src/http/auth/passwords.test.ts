import { hashingLimit, hashPassword, isPassword, withoutHashing } from "./passwords.js";

it("hashes at most two passwords at the same time", async () => {
  const stored = await hashPassword("correct horse battery");
  expect(await isPassword("correct horse battery", stored)).toBe(true);
  const compared = Promise.all(Array.from({ length: 8 }, () => isPassword("a guess", stored)));
  const isBusy = () => hashingLimit.activeCount + hashingLimit.pendingCount > 0;
  while (!isBusy()) await Promise.resolve();
  const seen: number[] = [];
  while (isBusy()) {
    seen.push(hashingLimit.activeCount);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(Math.max(...seen)).toBe(2);
  expect(new Set(await compared)).toEqual(new Set([false]));
});

it("refuses to hash inside a transaction", async () => {
  await expect(withoutHashing(() => hashPassword("a"))).rejects.toThrow("inside a transaction");
  await expect(withoutHashing(() => isPassword("a", "b"))).rejects.toThrow("inside a transaction");
});

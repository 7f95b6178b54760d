import { type Key, shortcutReader } from "./shortcuts.js";

const press = (key: string, more: Partial<Key> = {}): Key => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...more,
});

it("reads g and a letter as a page, if the letter follows soon", () => {
  let now = 0;
  const read = shortcutReader(
    () => true,
    () => now,
  );
  expect(read(press("g"), false)).toBeUndefined();
  expect(read(press("r"), false)).toEqual({ open: "/requests" });
  expect(read(press("r"), false)).toBeUndefined();
  read(press("g"), false);
  now = 5000;
  expect(read(press("r"), false)).toBeUndefined();
});

it("opens the palette with Ctrl K even while a person types, and no other key then", () => {
  const read = shortcutReader(() => true);
  expect(read(press("k", { ctrlKey: true }), true)).toBe("palette");
  expect(read(press("K", { metaKey: true }), true)).toBe("palette");
  expect(read(press("/"), true)).toBeUndefined();
  expect(read(press("/"), false)).toBe("filter");
});

it("leaves keys without Ctrl to others if they are turned off", () => {
  const read = shortcutReader(() => false);
  expect(read(press("?"), false)).toBeUndefined();
  expect(read(press("k", { ctrlKey: true }), false)).toBe("palette");
});

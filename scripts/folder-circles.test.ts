import { folderCircles, type Import } from "./folder-circles.js";

it("finds a circle between sibling folders, though no file is in one", () => {
  const imports: Import[] = [
    ["app/a/one.ts", "app/b/deep/two.ts"],
    ["app/b/three.ts", "app/a/four.ts"],
    ["app/index.ts", "app/a/one.ts"],
  ];
  expect(folderCircles(imports)).toEqual([{ folder: "app/", imports: imports.slice(0, 2) }]);
});

it("finds a circle between a file of a folder and a child folder", () => {
  const imports: Import[] = [
    ["app/list.ts", "app/a/one.ts"],
    ["app/a/two.ts", "app/link.ts"],
    ["app/link.ts", "app/list.ts"],
  ];
  expect(folderCircles(imports)).toEqual([{ folder: "app/", imports }]);
});

it("allows files above and below the child folders", () => {
  expect(
    folderCircles([
      ["app/index.ts", "app/a/one.ts"],
      ["app/a/one.ts", "app/b/two.ts"],
      ["app/b/two.ts", "app/shared.ts"],
    ]),
  ).toEqual([]);
});

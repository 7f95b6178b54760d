// Checks the imports of apps and packages by the rules of .dependency-cruiser.cjs, and that no folder has a circle.
import { resolve } from "node:path";
import { cruise, format, type ICruiseResult } from "dependency-cruiser";
import extractOptions from "dependency-cruiser/config-utl/extract-depcruise-options";
import extractTsConfig from "dependency-cruiser/config-utl/extract-ts-config";
import { folderCircles, type Import } from "./folder-circles.js";

const options = await extractOptions(resolve(".dependency-cruiser.cjs"));
const tsConfig = extractTsConfig(resolve("tsconfig.json"));
const cache = { folder: ".gantry/depcruise", strategy: "content" as const };
const { output } = await cruise(["apps", "packages"], { ...options, cache }, undefined, { tsConfig });
const result = output as ICruiseResult;

const sources = new Set(result.modules.map(({ source }) => source).filter((file) => /^(apps|packages)\//.test(file)));
const imports = result.modules.flatMap(({ source, dependencies }) =>
  dependencies
    .map(({ resolved }): Import => [source, resolved])
    .filter((files) => files.every((file) => sources.has(file))),
);
const circles = folderCircles(imports);
for (const { folder, imports } of circles) {
  console.error(`error no-folder-circle: the parts of ${folder} import each other:`);
  for (const [from, to] of imports) console.error(`  ${from} → ${to}`);
}

const report = await format(result, { outputType: "err" });
console.log(report.output);
process.exitCode = report.exitCode > 0 || circles.length > 0 ? 1 : 0;

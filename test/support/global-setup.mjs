// Jest loads this one with Node's own loader, which TypeScript passes only from here on.
export { default } from "./start-stack.ts";

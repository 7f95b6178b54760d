declare module "operation:*" {
  const operation: import("./operation.js").Operation;
  export default operation;
}

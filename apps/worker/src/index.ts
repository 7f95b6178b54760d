export { startApp } from "./app.js";
export { classifyAwsError } from "./aws/aws-errors.js";
export { type Aws, awsOpener } from "./aws/clients.js";
export { tagSpecification } from "./aws/ec2/tags.js";
export { kinds } from "./aws/kinds.js";
export { ACCOUNT_TAG, type TaggedObject, taggedKinds } from "./aws/tagged-objects.js";
export { awsEngine } from "./aws-engine.js";
export { auditLinking } from "./services/audit-linking.js";

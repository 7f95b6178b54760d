// Applies the migrations and grants the apps' database user its rights. With `--first-account` it creates, on an empty
// database, the first account, its owner and a token, and prints them once.
import { fileURLToPath } from "node:url";
import { connectDb, prepareDatabase } from "@gantry/db";
import { ownerDatabaseUrl, readEnv } from "@gantry/runtime";
import { bootstrap } from "./bootstrap.js";

const env = readEnv();
const migrations = fileURLToPath(new URL("../../../prisma/migrations", import.meta.url));
const applied = await prepareDatabase(ownerDatabaseUrl(env), env.DATABASE_URL, migrations);
for (const name of applied) console.log(`Applied the migration ${name}.`);

if (process.argv.includes("--first-account")) {
  const db = connectDb(env.DATABASE_URL, 1);
  const first = await bootstrap(db, env).finally(() => db.$disconnect());
  if (first) {
    console.log(
      `Account: ${first.accountId}\nUser: ${first.email}\nPassword: ${first.password}\nToken: ${first.token}`,
    );
    console.log("They are not shown again.");
  } else console.log("The database already has users: no user was created.");
}

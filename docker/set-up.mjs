// Applies the migrations. On an empty database creates the first account, its owner and a token, and prints them once.
import { applyMigrations, openDb } from "@gantry/db";
import { readEnv } from "@gantry/runtime";
import { bootstrap } from "./dist/index.js";

const env = readEnv();
const migrations = new URL("../../prisma/migrations", import.meta.url).pathname;
for (const name of await applyMigrations(env.DATABASE_URL, migrations)) console.log(`Applied the migration ${name}.`);

const db = openDb(env.DATABASE_URL, 1);
const first = await bootstrap(db, env);
await db.$disconnect();
if (first) {
  console.log(`Account: ${first.accountId}\nUser: ${first.email}\nPassword: ${first.password}\nToken: ${first.token}`);
  console.log("They are not shown again.");
} else console.log("The database already has users: no user was created.");

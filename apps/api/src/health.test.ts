import { randomUUID } from "node:crypto";
import { cloneDatabase, patient } from "@gantry/test/support/stack";
import { until } from "@gantry/test/support/until";
import { afterAll, expect, it } from "@jest/globals";
import express from "express";
import supertest from "supertest";
import { health } from "./health.js";

const database = await cloneDatabase();
afterAll(() => database.drop());

it("stays ready, with a reason, while an open transaction holds events back", async () => {
  const app = express().use(health({ db: database.db }, 0));
  const read = () => supertest(app).get("/health/ready");
  expect((await read()).body).toMatchObject({ ready: true, event_horizon_seconds: 0, degraded: [] });
  await database.db.$transaction(
    async (writer) => {
      await writer.account.create({ data: { id: randomUUID(), name: "open" } });
      const { status, body } = await until(async () => {
        const answer = await read();
        return answer.body.degraded.length > 0 && answer;
      });
      expect([status, body.ready, body.degraded]).toEqual([200, true, ["events_held_back"]]);
      expect(body.event_horizon_seconds).toBeGreaterThan(0);
    },
    { maxWait: patient.connectSeconds * 1000, timeout: patient.transactionSeconds * 1000 },
  );
  await until(async () => (await read()).body.degraded.length === 0);
});

import { startApiTest } from "@gantry/test/support/api-test";

const { owner } = await startApiTest();

it("lists every service plan of the specification, and shows each by its id", async () => {
  const { service_plans: plans } = (await owner.get("/service-plans")).body;
  expect(plans.map(({ id }: { id: string }) => id)).toEqual([
    "community",
    "standard",
    "premium",
    "platform-only",
    "level-1",
    "level-2",
    "level-3",
    "orphaned-012016",
    "standard-012016",
    "premium-012016",
  ]);
  for (const plan of plans) expect((await owner.get(`/service-plans/${plan.id}`)).body.service_plan).toEqual(plan);
});

it("shows a plan's requirements, also by its alternate name", async () => {
  const { service_plan: plan } = (await owner.get("/service-plans/level-2")).body;
  expect(plan).toMatchObject({ multi_az_required: true, contact_required: true, paid_support: false, free: false });
  expect((await owner.get("/service-plans/self-service")).body.service_plan.id).toBe("platform-only");
  expect((await owner.get("/service-plans/gold")).status).toBe(404);
});

/** A service plan of the specification. */
export interface ServicePlan {
  id: string;
  /** Another name of the plan. */
  alternateName?: string;
  free?: true;
  paidSupport?: true;
  contactRequired?: true;
  multiAzRequired?: true;
}

export const SERVICE_PLANS = [
  { id: "community", free: true },
  { id: "standard", paidSupport: true },
  { id: "premium", paidSupport: true, contactRequired: true },
  { id: "platform-only", alternateName: "self-service" },
  { id: "level-1" },
  { id: "level-2", contactRequired: true, multiAzRequired: true },
  { id: "level-3", contactRequired: true, multiAzRequired: true },
  { id: "orphaned-012016" },
  { id: "standard-012016" },
  { id: "premium-012016" },
] as const satisfies readonly ServicePlan[];

/** The plan with this id or alternate name. */
export function findServicePlan(name: string): ServicePlan | undefined {
  const plans: readonly ServicePlan[] = SERVICE_PLANS;
  return plans.find(({ id, alternateName }) => name === id || name === alternateName);
}

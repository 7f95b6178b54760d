/** What AWS calls a flavor, such as `t3.small`: the API's ids of flavors have no dot. */
export function flavorName({ id }: { id: string }): string {
  return id.replace("_", ".");
}

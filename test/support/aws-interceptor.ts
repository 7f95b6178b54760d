import type { Aws } from "@gantry/worker";

/** Called before and after every call to AWS, with the call's number from 1. Its error becomes the call's outcome. */
export type OnAwsCall = (nth: number, side: "before" | "after", command: string) => void;

interface Sender {
  send(command: object): Promise<unknown>;
}

/** Counts the calls of all clients that it wraps, and runs `onCall` around each. */
export function interceptor(onCall: OnAwsCall): { wrap: (aws: Aws) => Aws; calls: () => number } {
  let count = 0;
  const intercepted = <Client extends Sender>(client: Client): Client =>
    new Proxy(client, {
      get(target, name) {
        if (name !== "send") return Reflect.get(target, name);
        return async (command: object) => {
          const nth = ++count;
          onCall(nth, "before", command.constructor.name);
          const response = await target.send(command);
          onCall(nth, "after", command.constructor.name);
          return response;
        };
      },
    });
  const wrap = (aws: Aws): Aws => {
    const { region, serverImage, noRetry, background } = aws;
    const clients = ({ autoScaling, ec2, iam, rds, serviceQuotas, ssm, sts }: Aws["noRetry"]) => ({
      autoScaling: intercepted(autoScaling),
      ec2: intercepted(ec2),
      iam: intercepted(iam),
      rds: intercepted(rds),
      serviceQuotas: intercepted(serviceQuotas),
      ssm: intercepted(ssm),
      sts: intercepted(sts),
    });
    return { ...clients(aws), region, serverImage, noRetry: clients(noRetry), background: clients(background) };
  };
  return { wrap, calls: () => count };
}

import type { Aws } from "@gantry/worker";

/** A service by the name of its client. */
export type ServiceName = keyof Aws["noRetry"];

/** Called before and after every call to AWS, with the call's number from 1. Its error becomes the call's outcome. */
export type OnAwsCall = (nth: number, side: "before" | "after", command: string, call: InterceptedCall) => unknown;

export interface InterceptedCall {
  service: ServiceName;
  input: object;
}

interface Sender {
  send(command: object): Promise<unknown>;
}

/** Counts the calls of all clients that it wraps, and runs `onCall` around each. */
export function interceptor(onCall: OnAwsCall): { wrap: (aws: Aws) => Aws; calls: () => number } {
  let count = 0;
  const intercepted = <Client extends Sender>(service: ServiceName, client: Client): Client =>
    new Proxy(client, {
      get(target, name) {
        if (name !== "send") return Reflect.get(target, name);
        return async (command: { input: object }) => {
          const nth = ++count;
          const call = { service, input: command.input };
          await onCall(nth, "before", command.constructor.name, call);
          const response = await target.send(command);
          await onCall(nth, "after", command.constructor.name, call);
          return response;
        };
      },
    });
  const wrap = (aws: Aws): Aws => {
    const { region, serverImage, noRetry, background } = aws;
    const clients = ({ autoScaling, ec2, iam, rds, serviceQuotas, ssm, sts }: Aws["noRetry"]) => ({
      autoScaling: intercepted("autoScaling", autoScaling),
      ec2: intercepted("ec2", ec2),
      iam: intercepted("iam", iam),
      rds: intercepted("rds", rds),
      serviceQuotas: intercepted("serviceQuotas", serviceQuotas),
      ssm: intercepted("ssm", ssm),
      sts: intercepted("sts", sts),
    });
    return { ...clients(aws), region, serverImage, noRetry: clients(noRetry), background: clients(background) };
  };
  return { wrap, calls: () => count };
}

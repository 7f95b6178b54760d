import type { Aws } from "@gantry/worker";

/** Called around every call to AWS, with its number from 1; what it throws is the call's outcome. */
export type OnAwsCall = (nth: number, moment: "before" | "after", command: string) => void;

interface Sender {
  send(command: object): Promise<unknown>;
}

/** Counts the calls made through all clients that it wraps, and lets a test break them. */
export function interceptor(onCall: OnAwsCall): { wrap: (aws: Aws) => Aws; calls: () => number } {
  let count = 0;
  const intercepted = <Client extends Sender>(client: Client): Client =>
    new Proxy(client, {
      get(target, name) {
        if (name !== "send") return Reflect.get(target, name);
        return async (command: object) => {
          const nth = ++count;
          onCall(nth, "before", command.constructor.name);
          const answer = await target.send(command);
          onCall(nth, "after", command.constructor.name);
          return answer;
        };
      },
    });
  const wrap = (aws: Aws): Aws => {
    const { region, serverImage, noRetry, background } = aws;
    const clients = ({ autoScaling, ec2, iam, rds, ssm, sts }: Aws["noRetry"]) => ({
      autoScaling: intercepted(autoScaling),
      ec2: intercepted(ec2),
      iam: intercepted(iam),
      rds: intercepted(rds),
      ssm: intercepted(ssm),
      sts: intercepted(sts),
    });
    return { ...clients(aws), region, serverImage, noRetry: clients(noRetry), background: clients(background) };
  };
  return { wrap, calls: () => count };
}

import {
  type AnyWorkflow,
  Children,
  type CloudKind,
  CloudScope,
  type CloudScopeOptions,
  type Engine,
  Journal,
  Ledger,
  type RunState,
  type StageContext,
} from "@gantry/worker/engine";
import { enterStage, withPoints } from "./points.js";

// The state of these parts is private.
const requestOf = (part: Journal | Ledger | Children): string => (Reflect.get(part, "state") as RunState).request.id;

const { enter, sleep, startRollback, finish } = Journal.prototype;
Journal.prototype.enter = function (stage, position) {
  enterStage(requestOf(this), stage);
  return withPoints(requestOf(this), "enter", () => enter.call(this, stage, position));
};
Journal.prototype.sleep = function (how) {
  return withPoints(requestOf(this), "sleep", () => sleep.call(this, how));
};
Journal.prototype.startRollback = function (message) {
  return withPoints(requestOf(this), "rollback", () => startRollback.call(this, message));
};
Journal.prototype.finish = function (ending) {
  return withPoints(requestOf(this), "finish", () => finish.call(this, ending));
};

const { intend, recordAttempt, save, markReady, markRemoved } = Ledger.prototype;
Ledger.prototype.intend = function (object, params) {
  return withPoints(requestOf(this), `intent ${object.kind}`, () => intend.call(this, object, params));
};
Ledger.prototype.recordAttempt = function (row) {
  return withPoints(requestOf(this), `attempt ${row.kind}`, () => recordAttempt.call(this, row));
};
Ledger.prototype.save = function (row, ...how) {
  return withPoints(requestOf(this), `save ${row.kind}`, () => save.call(this, row, ...how));
};
Ledger.prototype.markReady = function (row) {
  return withPoints(requestOf(this), `ready ${row.kind}`, () => markReady.call(this, row));
};
Ledger.prototype.markRemoved = function (row) {
  return withPoints(requestOf(this), `removed ${row.kind}`, () => markRemoved.call(this, row));
};

const { create } = Children.prototype;
const finishChildren = Children.prototype.finish;
Children.prototype.create = function (children) {
  return withPoints(requestOf(this), "create children", () => create.call(this, children));
};
Children.prototype.finish = function (children) {
  return withPoints(requestOf(this), "finish children", () => finishChildren.call(this, children));
};

const requestOfScope = (scope: CloudScope<unknown>): string =>
  (Reflect.get(scope, "options") as CloudScopeOptions<unknown>).state.request.id;

const { ensure, remove, removeAll, call } = CloudScope.prototype;
CloudScope.prototype.ensure = function (kind, params, key) {
  return ensure.call(this, instrumentKind(requestOfScope(this), kind), params, key);
};
CloudScope.prototype.remove = function (kind, row) {
  return remove.call(this, instrumentKind(requestOfScope(this), kind), row);
};
CloudScope.prototype.removeAll = function (kinds) {
  const instrumented = [...kinds].map(([name, kind]) => [name, instrumentKind(requestOfScope(this), kind)] as const);
  return removeAll.call(this, new Map(instrumented));
};
CloudScope.prototype.call = function <T>(act: (cloud: unknown) => Promise<T>): Promise<T> {
  const instrumented = (cloud: unknown) => withPoints(requestOfScope(this), "call", () => act(cloud), true);
  return call.call(this, instrumented) as Promise<T>;
};

function instrumentKind<Cloud, Params>(requestId: string, kind: CloudKind<Cloud, Params>): CloudKind<Cloud, Params> {
  const asCall = <T>(name: string, act: () => Promise<T>) => withPoints(requestId, `${name} ${kind.kind}`, act, true);
  return {
    ...kind,
    find: (cloud, intent) => asCall("find", () => kind.find(cloud, intent)),
    create: (cloud, intent) => asCall("create", () => kind.create(cloud, intent)),
    ...(kind.sync && { sync: (cloud, id, intent) => asCall("sync", async () => kind.sync?.(cloud, id, intent)) }),
    remove: (cloud, id, params) => asCall("remove", () => kind.remove(cloud, id, params)),
  };
}

/** Adds points around the writes of the stages. The prototypes above add all other points to every engine. */
export function instrumentStages<Cloud>(engine: Engine<Cloud>): Engine<Cloud> {
  const workflows = [...engine.workflows].map(([type, workflow]) => [type, instrumentWorkflow(workflow)] as const);
  return { ...engine, workflows: new Map(workflows) };
}

function instrumentWorkflow<Cloud>(workflow: AnyWorkflow<Cloud>): AnyWorkflow<Cloud> {
  const { stages, discard, undo } = workflow;
  const instrumented = Object.entries(stages).map(([name, stage]) => [name, instrumentStage(stage)] as const);
  return {
    ...workflow,
    stages: Object.fromEntries(instrumented),
    ...(discard && { discard: instrumentStage(discard) }),
    ...(undo && { undo: instrumentStage(undo) }),
  };
}

function instrumentStage<Cloud>(stage: AnyWorkflow<Cloud>["stages"][string]): typeof stage {
  return (context) => stage({ ...context, db: instrumentDb(context) });
}

const READS = /^(find|count|aggregate|groupBy|\$queryRaw)/;

function instrumentDb<Cloud>({ db, request }: StageContext<Cloud, never>): typeof db {
  const instrumented = db.$extends({
    query: {
      $allOperations: ({ model, operation, args, query }) =>
        READS.test(operation)
          ? query(args)
          : withPoints(request.id, `${operation} ${model ?? "rows"}`, () => query(args) as PromiseLike<unknown>),
    },
  });
  // A query extension keeps the shape of the client.
  return instrumented as unknown as typeof db;
}

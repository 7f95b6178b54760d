/** Lets calls of one key act one after the other. */
export class SerialQueue {
  private readonly tails = new Map<string, Promise<unknown>>();

  run<T>(key: string, act: () => Promise<T>): Promise<T> {
    const result = (this.tails.get(key) ?? Promise.resolve()).then(act, act);
    this.tails.set(key, result);
    const removeTail = () => this.tails.get(key) === result && this.tails.delete(key);
    result.then(removeTail, removeTail);
    return result;
  }
}

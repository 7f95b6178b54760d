/** Runs the tasks of one key one after the other. */
export class SerialQueue {
  private readonly tails = new Map<string, Promise<unknown>>();

  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const result = (this.tails.get(key) ?? Promise.resolve()).then(task, task);
    this.tails.set(key, result);
    const removeTail = () => this.tails.get(key) === result && this.tails.delete(key);
    result.then(removeTail, removeTail);
    return result;
  }
}

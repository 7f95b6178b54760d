/** Lets calls of one key act one after the other. */
export class Turns {
  private readonly last = new Map<string, Promise<unknown>>();

  take<T>(key: string, act: () => Promise<T>): Promise<T> {
    const mine = (this.last.get(key) ?? Promise.resolve()).then(act, act);
    this.last.set(key, mine);
    const leave = () => this.last.get(key) === mine && this.last.delete(key);
    mine.then(leave, leave);
    return mine;
  }
}

// What the first start has made already, in a file of the data folder, so that a later start makes nothing twice and one that was cut off goes on.
// Written after each step, as a whole or not at all.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

export class State {
  #file;
  #values;

  /** Opens the file; none: nothing was made. A file that cannot be read is an error: to begin again could make things twice. */
  constructor(file) {
    this.#file = file;
    try {
      this.#values = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
    } catch {
      throw new Error(`${file} cannot be read; remove it together with the domain of the demo, and both are made anew`);
    }
  }

  get(name) {
    return this.#values[name];
  }

  set(name, value) {
    this.#values[name] = value;
    writeFileSync(`${this.#file}.new`, `${JSON.stringify(this.#values, null, 2)}\n`);
    renameSync(`${this.#file}.new`, this.#file);
  }
}

// What the checks found: one line a problem, as file:line: what.
import fs from "node:fs";
import path from "node:path";

export class Problems {
  #root;
  #found = [];

  constructor(root) {
    this.#root = root;
  }

  /** Notes a problem of a file (a path below the root) at a line, counted from 1; line 0 means the whole file. */
  add(file, line, what) {
    this.#found.push(`${file}${line ? `:${line}` : ""}: ${what}`);
  }

  /** The text of a file below the root; a missing file is a problem and reads as null. */
  read(file) {
    const full = path.join(this.#root, file);
    if (fs.existsSync(full)) return fs.readFileSync(full, "utf8");
    this.add(file, 0, "is missing");
    return null;
  }

  exists(file) {
    return fs.existsSync(path.join(this.#root, file));
  }

  /** Prints all problems, or that there are none, and ends the process with 1 or 0. */
  finish(checked) {
    for (const line of this.#found) console.log(line);
    console.log(this.#found.length ? `${this.#found.length} problems in ${checked}` : `${checked}: no problem found`);
    process.exit(this.#found.length ? 1 : 0);
  }
}

// The settings that files of a deployment hand to the server, compared with those that the server's --help lists.
import fs from "node:fs";

const prefix = "JACKDAW_";

export class KnownSettings {
  #names;

  /** @param {string} helpFile what `Jackdaw.Server --help` printed */
  constructor(helpFile) {
    this.#names = new Set([...fs.readFileSync(helpFile, "utf8").matchAll(/^ {2}--([A-Za-z0-9.-]+)=/gm)].map((m) => m[1].toLowerCase()));
    if (this.#names.size < 10) throw new Error(`${helpFile} does not look like the output of --help: it lists ${this.#names.size} settings.`);
  }

  /** Checks the names of environment variables; those without the server's prefix are none of its settings. */
  checkEnvironment(names, report) {
    for (const [name, line] of names) if (name.startsWith(prefix)) this.#check(name.slice(prefix.length).replaceAll("_", "."), name, line, report);
  }

  /** Checks a file of settings: flat names, or objects in the place of dots. */
  checkObject(value, report, before = "") {
    for (const [name, member] of Object.entries(value)) {
      if (member !== null && typeof member === "object" && !Array.isArray(member)) this.checkObject(member, report, `${before}${name}.`);
      else this.#check(before + name, before + name, 0, report);
    }
  }

  /** Checks the settings of a command line. */
  checkArguments(words, line, report) {
    for (const word of words) {
      const given = /^--([A-Za-z0-9.-]+)/.exec(word)?.[1];
      if (given) this.#check(given, `--${given}`, line, report);
    }
  }

  #check(name, asWritten, line, report) {
    if (!this.#names.has(name.toLowerCase())) report(line, `'${asWritten}' is no setting of the server; its --help lists them`);
  }
}

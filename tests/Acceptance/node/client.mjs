// What every script begins with: the official client, a database of its own, and assertions.
import assert from "node:assert/strict";
import fs from "node:fs";
import { CreateDatabaseOperation, DeleteDatabasesOperation, DocumentStore } from "ravendb";

export { assert };

export const url = process.env.JACKDAW_URL ?? "http://127.0.0.1:8080";

/** The client's certificate, over https: a PFX file, or a PEM file with its key; and whom the client trusts. */
export const authentication = process.env.JACKDAW_CLIENT_CERTIFICATE
  ? authenticateWith(process.env.JACKDAW_CLIENT_CERTIFICATE, process.env.JACKDAW_CLIENT_PASSWORD)
  : undefined;

export function authenticateWith(file, password) {
  const type = file.endsWith(".pfx") ? "pfx" : "pem";
  const certificate = fs.readFileSync(file, type === "pem" ? "utf8" : null);
  return { type, certificate, password, ca: fs.readFileSync(process.env.JACKDAW_AUTHORITY, "utf8") };
}

export function openStore(database, configure = () => {}) {
  const store = new DocumentStore(url, database, authentication);
  configure(store.conventions);
  store.initialize();
  return store;
}

/** Runs `work(store)` on a new database, which is deleted afterwards. */
export async function onNewDatabase(name, work, configure) {
  const store = openStore(name, configure);
  try {
    await store.maintenance.server.send(new CreateDatabaseOperation({ databaseName: name }));
    await work(store);
    await store.maintenance.server.send(new DeleteDatabasesOperation({ databaseNames: [name], hardDelete: true }));
  } finally {
    store.dispose();
  }
}

/** Awaits a rejection whose name is `name`; gives the error. */
export async function rejectedAs(name, promise) {
  try {
    await promise;
  } catch (error) {
    assert.equal(error.name, name, `${error.name}: ${error.message}`);
    return error;
  }
  assert.fail(`expected ${name}, but nothing was thrown`);
}

export async function collect(stream) {
  const items = [];
  for await (const item of stream) items.push(item);
  return items;
}

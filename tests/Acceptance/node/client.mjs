// What every script begins with: the official client, a database of its own, and assertions.
import assert from "node:assert/strict";
import { CreateDatabaseOperation, DeleteDatabasesOperation, DocumentStore } from "ravendb";

export { assert };

export const url = process.env.JACKDAW_URL ?? "http://127.0.0.1:8080";

export function openStore(database, configure = () => {}) {
  const store = new DocumentStore(url, database);
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

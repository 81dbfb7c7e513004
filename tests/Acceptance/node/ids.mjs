// Ids made by the client (HiLo), by the server, and from identities.
import { assert, onNewDatabase } from "./client.mjs";
import { GetIdentitiesOperation, HiloIdGenerator, NextIdentityForOperation, SeedIdentityForOperation } from "ravendb";

class User { constructor(name) { this.name = name; } }

await onNewDatabase("ids", async store => {
  const session = store.openSession();
  const users = Array.from({ length: 40 }, (_, i) => new User(`u${i}`));
  for (const user of users) await session.store(user);
  await session.saveChanges();
  assert.deepEqual(users.map(u => u.id), users.map((_, i) => `users/${i + 1}-A`));
  const hilo = await store.openSession().load("Raven/Hilo/users");
  assert.ok(hilo.Max >= 40, JSON.stringify(hilo));

  // The range document is an ordinary one: raising it moves the next range.
  const editor = store.openSession();
  await editor.store({ Max: 1000 }, "Raven/Hilo/things");
  await editor.saveChanges();
  const generator = new HiloIdGenerator("things", store, store.database, "/");
  assert.equal(await generator.generateDocumentId({}), "things/1001-A");
  await generator.returnUnusedRange();
  assert.equal((await store.openSession().load("Raven/Hilo/things")).Max, 1001, "an unused range is given back");

  // Ranges grow while they are used up quickly.
  const busy = new HiloIdGenerator("busy", store, store.database, "/");
  for (let i = 1; i <= 33; i++) assert.equal((await busy.getNextId()).id, i);
  assert.equal((await store.openSession().load("Raven/Hilo/busy")).Max, 32 + 64);

  // Server-made ids and identities.
  const made = store.openSession();
  const numbered = new User("numbered");
  const identified = new User("identified");
  const unnamed = new User("guid");
  await made.store(numbered, "numbered/");
  await made.store(identified, "invoices|");
  await made.saveChanges();
  assert.match(made.advanced.getDocumentId(numbered), /^numbered\/\d{19}-A$/);
  assert.equal(made.advanced.getDocumentId(identified), "invoices/1");

  assert.equal(await store.maintenance.send(new NextIdentityForOperation("invoices")), 2);
  assert.equal(await store.maintenance.send(new SeedIdentityForOperation("invoices", 1990)), 1990);
  assert.equal(await store.maintenance.send(new SeedIdentityForOperation("invoices", 5)), 1990, "without force only upwards");
  assert.equal(await store.maintenance.send(new NextIdentityForOperation("invoices|")), 1991);
  assert.equal(await store.maintenance.send(new SeedIdentityForOperation("invoices", 5, true)), 5);
  assert.deepEqual(await store.maintenance.send(new GetIdentitiesOperation()), { "invoices|": 5 });
});
console.log("ok");

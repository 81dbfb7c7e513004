// What each client may do, and what it is told where it may not: a line of JSON for each of the roles that are given.
import { assert, authenticateWith, url } from "./client.mjs";
import {
  CreateDatabaseOperation, DeleteDatabasesOperation, DocumentStore, GetCertificatesMetadataOperation, GetDatabaseNamesOperation, GetDatabaseRecordOperation,
} from "ravendb";

async function outcome(work) {
  try {
    return await work();
  } catch (error) {
    return `${error.name}: ${error.message}`;
  }
}

for (const role of JSON.parse(process.env.JACKDAW_ROLES)) {
  const store = new DocumentStore(url, "Shop", role.file ? authenticateWith(role.file, role.password) : undefined);
  store.initialize();
  const { server } = store.maintenance;
  const told = {
    role: role.name,
    read: await outcome(async () => (await store.openSession().load("orders/1")) ? "ok" : "nothing"),
    write: await outcome(async () => {
      const session = store.openSession();
      await session.store({ by: role.name }, `written/${role.name}`);
      await session.saveChanges();
      return "ok";
    }),
    configure: await outcome(async () => (await server.send(new GetDatabaseRecordOperation("Shop"))) ? "ok" : "nothing"),
    create: await outcome(async () => {
      await server.send(new CreateDatabaseOperation({ databaseName: `Of${role.name}` }));
      await server.send(new DeleteDatabasesOperation({ databaseNames: [`Of${role.name}`], hardDelete: true }));
      return "ok";
    }),
    certificates: await outcome(async () => Array.isArray(await server.send(new GetCertificatesMetadataOperation())) ? "ok" : "nothing"),
    names: await outcome(async () => (await server.send(new GetDatabaseNamesOperation(0, 100))).sort().join(",")),
  };
  console.log(JSON.stringify(told));
  store.dispose();
}
assert.ok(true);

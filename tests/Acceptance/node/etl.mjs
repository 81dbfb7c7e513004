// A connection string and a queue ETL task by the official client; the messages arrive at an endpoint of this script.
import { createServer } from "node:http";
import {
  AddEtlOperation, DeleteOngoingTaskOperation, GetConnectionStringsOperation, GetDatabaseRecordOperation, GetOngoingTaskInfoOperation, PutConnectionStringOperation, QueueConnectionString,
  QueueEtlConfiguration, RemoveConnectionStringOperation, ResetEtlOperation, ToggleOngoingTaskStateOperation, Transformation, UpdateEtlOperation,
} from "ravendb";
import { assert, onNewDatabase } from "./client.mjs";

class Order {
  constructor(n) {
    this.n = n;
  }
}

const events = [];
const endpoint = createServer(async (request, response) => {
  let text = "";
  for await (const piece of request) text += piece;
  events.push(JSON.parse(text));
  response.end();
});
await new Promise(resolve => endpoint.listen(0, "127.0.0.1", resolve));

async function arrived(count) {
  for (let i = 0; i < 2400 && events.length < count; i++) await new Promise(resolve => setTimeout(resolve, 50));
  assert.equal(events.length, count);
}

async function store(documents, n) {
  const session = documents.openSession();
  await session.store(new Order(n), `orders/${n}`);
  await session.saveChanges();
}

function task() {
  const configuration = new QueueEtlConfiguration();
  configuration.connectionStringName = "hook";
  configuration.name = "orders out";
  configuration.brokerType = "None";
  const transform = new Transformation();
  transform.name = "all";
  transform.collections = ["Orders"];
  transform.script = "loadToOrders({ n: this.n });";
  configuration.transforms = [transform];
  return configuration;
}

await onNewDatabase("etl", async documents => {
  const { maintenance } = documents;
  const hook = new QueueConnectionString();
  hook.name = "hook";
  hook.brokerType = "None";
  hook.webhookConnectionSettings = { url: `http://127.0.0.1:${endpoint.address().port}/` };
  assert.ok((await maintenance.send(new PutConnectionStringOperation(hook))).raftCommandIndex > 0);
  const kafka = new QueueConnectionString();
  kafka.name = "kafka";
  kafka.brokerType = "Kafka";
  kafka.kafkaConnectionSettings = { bootstrapServers: "localhost:9092", connectionOptions: { "security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN", "sasl.username": "u", "sasl.password": "p" } };
  await maintenance.send(new PutConnectionStringOperation(kafka));
  const all = await maintenance.send(new GetConnectionStringsOperation());
  assert.deepEqual(Object.keys(all.queueConnectionStrings).sort(), ["hook", "kafka"]);
  assert.equal(all.queueConnectionStrings.kafka.kafkaConnectionSettings.bootstrapServers, "localhost:9092");
  assert.equal(all.queueConnectionStrings.kafka.kafkaConnectionSettings.connectionOptions["sasl.mechanism"], "PLAIN");
  await maintenance.send(new RemoveConnectionStringOperation(kafka));
  assert.deepEqual(Object.keys((await maintenance.send(new GetConnectionStringsOperation())).queueConnectionStrings), ["hook"]);

  const { taskId } = await maintenance.send(new AddEtlOperation(task()));
  await store(documents, 1);
  await arrived(1);
  assert.deepEqual([events[0].subject, events[0].data, events[0].type], ["orders/1", { n: 1 }, "ravendb.etl.put"]);

  const info = await maintenance.send(new GetOngoingTaskInfoOperation(taskId, "QueueEtl"));
  assert.deepEqual([info.taskId, info.taskName, info.taskState, info.taskType, info.brokerType, info.responsibleNode.nodeTag], [taskId, "orders out", "Enabled", "QueueEtl", "None", "A"]);
  assert.equal(info.configuration.transforms[0].script, "loadToOrders({ n: this.n });");
  // The client makes this of a 404.
  await assert.rejects(maintenance.send(new GetOngoingTaskInfoOperation("another", "QueueEtl")), { name: "MappingError" });

  const record = await maintenance.server.send(new GetDatabaseRecordOperation(documents.database));
  assert.deepEqual([record.queueEtls.length, record.queueEtls[0].name, record.queueEtls[0].connectionStringName], [1, "orders out", "hook"]);
  assert.deepEqual(Object.keys(record.queueConnectionStrings), ["hook"]);

  await maintenance.send(new ToggleOngoingTaskStateOperation("orders out", "QueueEtl", true));
  assert.equal((await maintenance.send(new GetOngoingTaskInfoOperation("orders out", "QueueEtl"))).taskState, "Disabled");
  await store(documents, 2);
  await maintenance.send(new ToggleOngoingTaskStateOperation(taskId, "QueueEtl", false));
  await arrived(2);

  const changed = task();
  changed.transforms[0].script = "loadToOrders({ changed: this.n });";
  assert.equal((await maintenance.send(new UpdateEtlOperation(taskId, changed))).taskId, taskId);
  await store(documents, 3);
  await arrived(3);
  assert.deepEqual(events[2].data, { changed: 3 });

  await maintenance.send(new ResetEtlOperation("orders out", "all"));
  await arrived(6);

  const wrong = task();
  wrong.name = "wrong";
  wrong.transforms[0].script = "loadToOrders(;";
  await assert.rejects(maintenance.send(new AddEtlOperation(wrong)), /line 1/);
  await assert.rejects(maintenance.send(new RemoveConnectionStringOperation(hook)), /in use/);
  // Whoever means another kind of task, or another task, does not meet this one.
  await assert.rejects(maintenance.send(new DeleteOngoingTaskOperation(taskId, "Backup")), /type Backup/);
  await assert.rejects(maintenance.send(new ToggleOngoingTaskStateOperation(taskId, "Backup", true)), /type Backup/);
  await assert.rejects(maintenance.send(new ToggleOngoingTaskStateOperation("another", "QueueEtl", true)), /no task named 'another'/);
  assert.equal((await maintenance.send(new GetOngoingTaskInfoOperation(taskId, "QueueEtl"))).taskState, "Enabled");
  await maintenance.send(new DeleteOngoingTaskOperation(taskId, "QueueEtl"));
  await assert.rejects(maintenance.send(new GetOngoingTaskInfoOperation(taskId, "QueueEtl")), { name: "MappingError" });
  await maintenance.send(new RemoveConnectionStringOperation(hook));
});
endpoint.close();

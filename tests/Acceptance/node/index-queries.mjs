// Queries by fields, as the documentation of the official client shows them: the right index is made by itself.
import { assert, onNewDatabase, rejectedAs } from "./client.mjs";

class Employee {
  constructor(name, city, age, tags) {
    this.name = name;
    this.age = age;
    this.address = { city };
    this.tags = tags;
  }
}
class Order { constructor(company, total, lines) { this.company = company; this.total = total; this.lines = lines; } }
class Company { constructor(name) { this.name = name; } }

const names = found => found.map(e => e.name);

await onNewDatabase("indexqueries", async store => {
  const writer = store.openSession();
  const people = [
    ["Ann Archer", "Oslo", 31, ["red", "blue"]],
    ["Bob Baker", "Bergen", 25, ["red"]],
    ["Carl Cook", "oslo", 42, []],
    ["Dora Dean", "Paris", 9, ["green"]],
    ["Eve Eden", null, 100, null],
  ];
  let i = 0;
  for (const [name, city, age, tags] of people) await writer.store(new Employee(name, city, age, tags), `employees/${++i}`);
  await writer.store(new Company("Ada"), "companies/1");
  await writer.store(new Order("companies/1", 10.5, [{ product: "tea", count: 2 }]), "orders/1");
  await writer.store(new Order("companies/2", 200, [{ product: "milk", count: 1 }, { product: "tea", count: 9 }]), "orders/2");
  await writer.saveChanges();

  const session = store.openSession();
  session.advanced.maxNumberOfRequestsPerSession = 1000;
  const query = () => session.query(Employee).waitForNonStaleResults();

  // Equality, casing, nested fields.
  let statistics;
  assert.deepEqual(names(await query().whereEquals("name", "ann archer").statistics(s => (statistics = s)).all()), ["Ann Archer"]);
  assert.equal(statistics.indexName, "Auto/Employees/Byname");
  assert.equal(statistics.isStale, false);
  assert.equal(statistics.totalResults, 1);
  assert.deepEqual(names(await query().whereEquals("name", "ann archer", true).all()), [], "exact");
  assert.deepEqual(names(await query().whereEquals("name", "Ann Archer", true).all()), ["Ann Archer"], "exact");
  assert.deepEqual(names(await query().whereEquals("address.city", "OSLO").orderBy("name").all()), ["Ann Archer", "Carl Cook"]);
  assert.deepEqual(names(await query().whereEquals("address.city", null).all()), ["Eve Eden"]);
  assert.deepEqual(names(await query().whereNotEquals("address.city", "oslo").orderBy("name").all()), ["Bob Baker", "Dora Dean", "Eve Eden"]);
  assert.deepEqual(names(await query().whereExists("address.city").andAlso().not().whereEquals("address.city", "Oslo").orderByDescending("name").all()),
    ["Eve Eden", "Dora Dean", "Bob Baker"]);

  // Lists, ranges, beginnings, words.
  assert.deepEqual(names(await query().whereIn("name", ["bob baker", "Eve Eden", "nobody"]).orderBy("name").all()), ["Bob Baker", "Eve Eden"]);
  assert.deepEqual(names(await query().containsAll("tags", ["red", "blue"]).all()), ["Ann Archer"]);
  assert.deepEqual(names(await query().containsAny("tags", ["red", "green"]).orderBy("name").all()), ["Ann Archer", "Bob Baker", "Dora Dean"]);
  assert.deepEqual(names(await query().whereBetween("age", 25, 42).orderBy("age", "Long").all()), ["Bob Baker", "Ann Archer", "Carl Cook"]);
  assert.deepEqual(names(await query().whereBetween("age", null, 25).orderBy("name").all()), ["Bob Baker", "Dora Dean"]);
  assert.deepEqual(names(await query().whereGreaterThan("age", 42).all()), ["Eve Eden"]);
  assert.deepEqual(names(await query().whereGreaterThanOrEqual("age", 42).orderBy("name").all()), ["Carl Cook", "Eve Eden"]);
  assert.deepEqual(names(await query().whereLessThan("age", 25).all()), ["Dora Dean"]);
  assert.deepEqual(names(await query().whereLessThanOrEqual("age", 25).orderBy("name").all()), ["Bob Baker", "Dora Dean"]);
  assert.deepEqual(names(await query().whereStartsWith("name", "Do").all()), ["Dora Dean"]);
  assert.deepEqual(names(await query().whereEndsWith("name", "Eden").all()), ["Eve Eden"]);
  assert.deepEqual(names(await query().whereRegex("name", "^[ab].* [ab]").orderBy("name").all()), ["Ann Archer", "Bob Baker"]);
  assert.deepEqual(names(await query().search("name", "cook baker").orderBy("name").all()), ["Bob Baker", "Carl Cook"]);
  assert.deepEqual(names(await query().search("name", "dora dean", "AND").all()), ["Dora Dean"]);
  assert.deepEqual(names(await query().search("name", "ba*").all()), ["Bob Baker"]);
  assert.deepEqual(names(await query().openSubclause().whereEquals("age", 9).orElse().whereEquals("age", "100").closeSubclause().andAlso()
    .whereStartsWith("name", "e").all()), ["Eve Eden"]);

  // How many elements a list has.
  assert.deepEqual(names(await query().whereGreaterThan("tags.length", 1).all()), ["Ann Archer"]);
  assert.deepEqual(names(await query().whereEquals("tags.Count", 0).all()), ["Carl Cook"]);
  assert.equal((await query().orderByDescending("tags.length", "Long").first()).name, "Ann Archer");
  const lengths = await query().whereGreaterThanOrEqual("tags.length", 0).orderBy("name").selectFields(["name", "tags.length"]).all();
  assert.deepEqual(lengths.map(one => one["tags.length"]), [2, 1, 0, 1]);

  // Orders, pages, counting.
  assert.deepEqual(names(await query().orderBy("age", "Long").all()), ["Dora Dean", "Bob Baker", "Ann Archer", "Carl Cook", "Eve Eden"]);
  assert.deepEqual(names(await query().orderBy("age").all()), ["Eve Eden", "Bob Baker", "Ann Archer", "Carl Cook", "Dora Dean"], "without 'as': text");
  assert.deepEqual(names(await query().orderByDescending("name").skip(1).take(2).statistics(s => (statistics = s)).all()), ["Dora Dean", "Carl Cook"]);
  assert.equal(statistics.totalResults, 5);
  assert.equal((await query().randomOrdering("seed").all()).length, 5);
  assert.equal(await query().whereGreaterThan("age", 10).count(), 4);
  assert.equal((await query().whereGreaterThan("age", 10).orderBy("name").first()).name, "Ann Archer");
  assert.equal(await query().whereEquals("name", "nobody").any(), false);
  assert.equal(await query().whereEquals("name", "Ann Archer").any(), true);

  // Projections, includes, loads.
  const projected = await query().whereEquals("name", "Bob Baker").selectFields(["name", "age"]).all();
  assert.deepEqual(projected.map(p => ({ name: p.name, age: p.age })), [{ name: "Bob Baker", age: 25 }]);
  assert.deepEqual((await query().selectFields("address.city").distinct().all()).length, 5 - 0 - 0, "text is told apart as it is written");
  assert.equal(await query().selectFields("tags").distinct().count(), 5, "each list is a row of its own");
  assert.equal(await session.query({ collection: "Orders" }).selectFields("company").distinct().longCount(), 2);
  const loaded = await session.advanced
    .rawQuery("from Orders as o where o.lines[].product = $p load o.company as c select { total: o.total, company: c ? c.name : null, tea: o.lines.filter(l => l.product == $p).length }")
    .addParameter("p", "TEA").waitForNonStaleResults().all();
  assert.deepEqual(loaded.map(l => [l.total, l.company, l.tea]), [[10.5, "Ada", 0], [200, null, 0]]);
  const fresh = store.openSession();
  const order = await fresh.query({ collection: "Orders" }).whereEquals("total", 10.5).include("company").waitForNonStaleResults().single();
  const requests = fresh.advanced.numberOfRequests;
  assert.equal((await fresh.load(order.company)).name, "Ada");
  assert.equal(fresh.advanced.numberOfRequests, requests);

  // Lazily, as a stream, and in raw RQL.
  const lazily = session.query(Employee).whereStartsWith("name", "b").lazily();
  const lazyCount = session.query(Employee).whereGreaterThan("age", 10).countLazily();
  const before = session.advanced.numberOfRequests;
  assert.deepEqual(names(await lazily.getValue()), ["Bob Baker"]);
  assert.equal(await lazyCount.getValue(), 4);
  assert.equal(session.advanced.numberOfRequests, before + 1);
  let streamStatistics;
  const stream = await session.advanced.stream(session.query(Employee).whereGreaterThan("age", 10).orderBy("age", "Long"), s => (streamStatistics = s));
  const streamed = [];
  for await (const item of stream) streamed.push(item.document.name);
  assert.deepEqual(streamed, ["Bob Baker", "Ann Archer", "Carl Cook", "Eve Eden"]);
  assert.equal(streamStatistics.totalResults, 4);
  await session.query({ collection: "Orders" }).whereGreaterThan("total", 100).waitForNonStaleResults().statistics(s => (statistics = s)).all();
  const indexOfOrders = statistics.indexName;
  assert.match(indexOfOrders, /^Auto\/Orders\/By/);
  assert.equal((await session.advanced.rawQuery(`from index '${indexOfOrders}' where total > $t`).addParameter("t", 100).waitForNonStaleResults().all()).length, 1);
  await rejectedAs("IndexDoesNotExistException", session.advanced.rawQuery("from index 'Auto/Nothing'").all());

  // What is saved is found at once by who waits for indexes when saving.
  const saver = store.openSession();
  saver.advanced.waitForIndexesAfterSaveChanges({ timeout: 30_000, throwOnTimeout: true });
  await saver.store(new Employee("Fay Fox", "Rome", 33, []), "employees/6");
  await saver.delete("employees/2");
  await saver.saveChanges();
  assert.deepEqual(names(await store.openSession().query(Employee).whereBetween("age", 20, 40).orderBy("name").all()), ["Ann Archer", "Fay Fox"]);
  const saving = store.openSession();
  saving.advanced.waitForIndexesAfterSaveChanges({ timeout: 30_000, throwOnTimeout: true, indexes: [indexOfOrders] });
  await saving.store(new Order("companies/1", 777, []), "orders/3");
  await saving.saveChanges();
  assert.equal(await store.openSession().query({ collection: "Orders" }).whereEquals("total", 777).count(), 1);
});
console.log("ok");

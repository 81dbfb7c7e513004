// Queries that need no index, and lists by the beginning of ids.
import { assert, onNewDatabase, rejectedAs } from "./client.mjs";

class Person { constructor(name, boss) { this.name = name; this.boss = boss; } }
class Product { constructor(name) { this.name = name; } }

await onNewDatabase("queries", async store => {
  const writer = store.openSession();
  for (let i = 1; i <= 30; i++) await writer.store(new Person(`p${i}`, i > 1 ? "people/1" : null), `people/${i}`);
  for (let i = 1; i <= 3; i++) await writer.store(new Product(`t${i}`), `products/${i}`);
  await writer.saveChanges();

  const session = store.openSession();
  assert.equal((await session.query(Person).all()).length, 30);
  let statistics;
  const page = await session.query({ collection: "People" }).orderBy("id()").statistics(s => (statistics = s)).skip(10).take(5).all();
  assert.deepEqual(page.map(p => p.id), ["people/19", "people/2", "people/20", "people/21", "people/22"], "ids are ordered as texts");
  assert.equal(statistics.totalResults, 30);
  assert.equal(statistics.isStale, false);
  assert.equal(statistics.indexName, "collection/People");

  assert.equal((await session.advanced.rawQuery("from @all_docs").all()).filter(d => !d.id.startsWith("Raven/")).length, 33);
  assert.equal((await session.advanced.rawQuery("from People where id() = $id").addParameter("id", "PEOPLE/7").single()).name, "p7");
  assert.deepEqual(
    (await session.query({ collection: "People" }).whereIn("id()", ["people/3", "people/4", "products/1"]).all()).map(p => p.id).sort(), ["people/3", "people/4"]);
  assert.equal((await session.query({ collection: "People" }).whereStartsWith("id()", "people/2").all()).length, 11);
  assert.deepEqual(await session.query({ collection: "Nothing" }).all(), []);
  assert.equal(await session.query(Person).count(), 30);

  const fresh = store.openSession();
  const included = await fresh.query({ collection: "People" }).whereEquals("id()", "people/5").include("boss").single();
  const requests = fresh.advanced.numberOfRequests;
  assert.equal((await fresh.load(included.boss)).name, "p1");
  assert.equal(fresh.advanced.numberOfRequests, requests);

  assert.deepEqual((await session.advanced.loadStartingWith("products/")).map(p => p.id), ["products/1", "products/2", "products/3"]);
  assert.deepEqual((await session.advanced.loadStartingWith("people/", { matches: "1?|2", exclude: "*5", pageSize: 3, start: 1 })).map(p => p.id), ["people/11", "people/12", "people/13"]);
  assert.deepEqual((await session.advanced.loadStartingWith("PEOPLE/", { startAfter: "people/8" })).map(p => p.id), ["people/9"]);

  await rejectedAs("InvalidQueryException", session.advanced.rawQuery("from People wher id() = 1").all());
  await assert.rejects(session.query({ collection: "People" }).whereEquals("name", "p1").fuzzy(0.5).all(), /fuzzy\(\)/i);
});
console.log("ok");

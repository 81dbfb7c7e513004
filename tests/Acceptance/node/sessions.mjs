// Store, load, include, change, delete: what a session does all day.
import { assert, onNewDatabase } from "./client.mjs";

class Company { constructor(name) { this.name = name; } }
class Order { constructor(company, lines) { this.company = company; this.lines = lines; } }

await onNewDatabase("sessions", async store => {
  {
    const session = store.openSession();
    const company = new Company("Ævar & Søn \"quoted\" \u{1F426}");
    await session.store(company, "Companies/1-A");
    await session.store(new Order("companies/1-a", [{ product: "products/1", count: 2 }, { product: "products/2", count: 1 }]), "orders/1");
    await session.store({ name: "Tea" }, "products/1");
    await session.saveChanges();
    const metadata = session.advanced.getMetadataFor(company);
    assert.equal(metadata["@collection"], "Companies");
    assert.match(session.advanced.getChangeVectorFor(company), /^A:\d+-[A-Za-z0-9+/]{22}$/);
  }
  {
    const session = store.openSession();
    const order = await session.include("company").include("lines[].product").load("orders/1", Order);
    const requests = session.advanced.numberOfRequests;
    const company = await session.load("Companies/1-A", Company);
    assert.equal(company.name, "Ævar & Søn \"quoted\" \u{1F426}");
    assert.equal(company.id, "Companies/1-A", "the casing of the first write is kept");
    assert.equal((await session.load("products/1")).name, "Tea");
    assert.equal(session.advanced.numberOfRequests, requests, "nothing was fetched again");
    assert.equal(await session.load("products/2"), null);
    assert.equal(order.lines.length, 2);

    assert.equal(session.advanced.hasChanges(), false);
    order.lines[0].count = 3;
    company.name = "Changed";
    const changes = session.advanced.whatChanged();
    assert.deepEqual(Object.keys(changes).sort(), ["Companies/1-A", "orders/1"]);
    assert.equal(changes["orders/1"][0].fieldName, "count");
    await session.saveChanges();
    assert.equal(session.advanced.hasChanges(), false);
  }
  {
    const session = store.openSession();
    const loaded = await session.load(["orders/1", "orders/404", "COMPANIES/1-A"]);
    assert.equal(loaded["orders/1"].lines[0].count, 3);
    assert.equal(loaded["orders/404"], null);
    assert.equal(loaded["COMPANIES/1-A"].name, "Changed");
    assert.equal(await session.advanced.exists("orders/1"), true);
    assert.equal(await session.advanced.exists("orders/404"), false);
    assert.equal(await session.load("orders/404"), null);

    await session.delete("orders/1");
    await session.delete("orders/404");
    await session.saveChanges();
    assert.equal(await session.advanced.exists("orders/1"), false);
  }
  {
    const session = store.openSession();
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`many/${i}-${"x".repeat(20)}`, { i }]));
    for (const [id, entity] of Object.entries(many)) await session.store(entity, id);
    await session.saveChanges();
    const fresh = store.openSession();
    const loaded = await fresh.load(Object.keys(many));
    assert.equal(Object.values(loaded).filter(e => e !== null).length, 200, "ids too many for a URL go in a body");
    assert.equal(fresh.advanced.numberOfRequests, 1);
  }
  {
    // A refresh sees what another session wrote; an answer that has not changed comes from the client's cache.
    const one = store.openSession();
    const tea = await one.load("products/1");
    const other = store.openSession();
    (await other.load("products/1")).name = "Green tea";
    await other.saveChanges();
    await one.advanced.refresh(tea);
    assert.equal(tea.name, "Green tea");
    assert.equal((await store.openSession().load("products/1")).name, "Green tea");
    assert.equal((await store.openSession().load("products/1")).name, "Green tea");
  }
});
console.log("ok");

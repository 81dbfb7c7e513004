// Patches of one document, in sessions, and by query; deletion by query; operations and their end before time.
import { DeleteByQueryOperation, IndexQuery, PatchByQueryOperation, PatchCommandData, PatchOperation, PatchRequest } from "ravendb";
import { assert, onNewDatabase, rejectedAs } from "./client.mjs";

class User {
  constructor(name, age, tags = []) {
    this.name = name;
    this.age = age;
    this.tags = tags;
  }
}

class Order {
  constructor(company, n) {
    this.company = company;
    this.n = n;
  }
}

class Count {
  constructor(n) {
    this.n = n;
  }
}

function request(script, values) {
  const patch = PatchRequest.forScript(script);
  patch.values = values ?? {};
  return patch;
}

await onNewDatabase("patching", async store => {
  const setup = store.openSession();
  await setup.store(new User("Ada", 36, ["math"]), "users/1");
  await setup.store(new User("Bob", 20), "users/2");
  await setup.saveChanges();

  // One document, by an operation.
  const patched = await store.operations.send(new PatchOperation("users/1", null, request("this.age += args.years; this.tags.push($tag);", { years: 2, tag: "engines" })));
  assert.equal(patched.status, "Patched");
  assert.equal(patched.document.age, 38);
  const ada = await store.openSession().load("users/1");
  assert.deepEqual([ada.age, ada.tags], [38, ["math", "engines"]]);
  assert.ok(ada instanceof Object && ada.constructor.name === "User", "the document keeps its class");
  assert.equal((await store.operations.send(new PatchOperation("users/1", null, request("this.age = this.age;")))).status, "NotModified");
  assert.equal((await store.operations.send(new PatchOperation("users/404", null, request("this.age = 1;")))).status, "DocumentDoesNotExist");

  // By sessions: set, increment, arrays, add or patch, and a raw command beside a put, in one batch.
  {
    const session = store.openSession();
    session.advanced.patch("users/1", "name", "Ada L.");
    session.advanced.increment("users/1", "age", 1);
    session.advanced.patchArray("users/1", "tags", tags => tags.push("poetry"));
    session.advanced.addOrIncrement("counts/1", new Count(1), "n", 5);
    session.advanced.defer(new PatchCommandData("users/2", null, request("this.age = 21; put('users/3', { name: 'Cy', '@metadata': { '@collection': 'Users' } });")));
    await session.store(new User("Dee", 50), "users/4");
    await session.saveChanges();
    const check = store.openSession();
    const one = await check.load("users/1");
    assert.deepEqual([one.name, one.age, one.tags], ["Ada L.", 39, ["math", "engines", "poetry"]]);
    assert.equal((await check.load("counts/1")).n, 1, "created as given");
    assert.deepEqual([(await check.load("users/2")).age, (await check.load("users/3")).name, (await check.load("users/4")).name], [21, "Cy", "Dee"]);
  }

  // A session that has the document loaded sees it as it is after the patch.
  {
    const session = store.openSession();
    const bob = await session.load("users/2");
    session.advanced.patch(bob, "name", "Robert");
    await session.saveChanges();
    assert.equal((await session.load("users/2")).name, "Robert");
  }

  // A script that fails says why and where, and nothing of the batch is kept.
  {
    const session = store.openSession();
    await session.store(new User("never", 0), "users/never");
    session.advanced.defer(new PatchCommandData("users/1", null, request("let a = 1;\n\nthis.no.such = a;")));
    const error = await rejectedAs("JavaScriptException", session.saveChanges());
    assert.match(error.message, /users\/1/);
    assert.match(error.message, /line 3/);
    assert.equal(await store.openSession().load("users/never"), null);
    const syntax = await rejectedAs("JavaScriptParseException", store.operations.send(new PatchOperation("users/1", null, request("this.a = ;"))));
    assert.match(syntax.message, /line 1, column 10/);
    const loop = await rejectedAs("JavaScriptException", store.operations.send(new PatchOperation("users/1", null, request("for (;;) { }"))));
    assert.match(loop.message, /100 ms/);
  }

  // By query.
  {
    const load = store.bulkInsert();
    for (let i = 0; i < 2500; i++)
      await load.store(new Order(`companies/${i % 10}`, i), `orders/${i}`);
    await load.finish();
    const operation = await store.operations.send(new PatchByQueryOperation(
      "from Orders as o update { this.double = twice(o.n); o.seen = true; }".replace("from", "declare function twice(x) { return 2 * x; }\nfrom")));
    await operation.waitForCompletion();
    const session = store.openSession();
    const orders = await session.query({ collection: "Orders" }).all();
    assert.equal(orders.length, 2500);
    assert.ok(orders.every(order => order.double === 2 * order.n && order.seen));

    const failing = await store.operations.send(new PatchByQueryOperation("from Orders\nupdate {\n  throw new Error('no: ' + this.n);\n}"));
    const error = await rejectedAs("JavaScriptException", failing.waitForCompletion());
    assert.match(error.message, /orders\/0.*no: 0.*line 3/s);

    const deleting = await store.operations.send(new DeleteByQueryOperation("from Orders where startsWith(id(), 'orders/1')"));
    await deleting.waitForCompletion();
    assert.equal((await store.openSession().query({ collection: "Orders" }).all()).length, 2500 - 1111);

    // Killed before its end: what is done stays done.
    const slow = await store.operations.send(new PatchByQueryOperation(new IndexQuery("from Orders update { this.slow = true; }"), { maxOpsPerSecond: 10 }));
    await slow.kill();
    await rejectedAs("OperationCanceledException", slow.waitForCompletion());
    const slowly = (await store.openSession().query({ collection: "Orders" }).all()).filter(order => order.slow).length;
    assert.ok(slowly < 1389, `${slowly} of 1389 although it was killed`);
  }
});
console.log("ok");

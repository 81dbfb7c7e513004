// Saves an order of some 100 KB under each id, which is its company's name, too.
// usage: large-orders.mjs ID ...
import { openStore } from "./client.mjs";

class Order {
  constructor(company) {
    this.Company = company;
    this.Lines = Array.from({ length: 2000 }, (_, n) => ({ Product: `products/${n}`, PricePerUnit: n / 100, Quantity: 1 + (n % 9) }));
  }
}

const store = openStore("shop", conventions => {
  conventions.disableTopologyUpdates = true;
  conventions.registerEntityType(Order);
});
const session = store.openSession();
for (const id of process.argv.slice(2)) await session.store(new Order(id), id);
await session.saveChanges();
store.dispose();

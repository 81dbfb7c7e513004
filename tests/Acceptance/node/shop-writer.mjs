// Saves and deletes orders, one change after another, until the file STOP exists. A change whose answer is lost is followed by the next one:
// what became of it, the source says. A line for each change that was acknowledged.
// usage: shop-writer.mjs SEED IDS STOP
import { existsSync } from "node:fs";
import { openStore } from "./client.mjs";

let state = Number(process.argv[2]) >>> 0;
const ids = Number(process.argv[3]);
const random = below => {
  // A linear congruential generator, as "Numerical Recipes" has it: the same changes for the same seed.
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};
const pause = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));

class Order {
  constructor(lines) {
    this.Company = `companies/${random(100)}`;
    this.Lines = lines;
  }
}
const line = () => ({ PricePerUnit: random(10000) / 100, Quantity: 1 + random(9) });

const store = openStore("shop", conventions => {
  conventions.disableTopologyUpdates = true;
  conventions.registerEntityType(Order);
});
while (!existsSync(process.argv[4])) {
  const id = `orders/${1 + random(ids)}`;
  const isDeleted = random(4) === 0;
  const order = new Order(Array.from({ length: random(4) }, line));
  try {
    const session = store.openSession();
    if (isDeleted) await session.delete(id);
    else await session.store(order, id);
    await session.saveChanges();
    console.log(id);
  } catch (error) {
    // Anything but a server that is away is a fault of this script.
    if (!/AllTopologyNodesDown|fetch failed|ECONN|socket|timeout/i.test(`${error.name} ${error.message} ${error.cause}`)) throw error;
    await pause(50);
  }
  await pause(10 + random(20));
}
store.dispose();
process.exit(0);

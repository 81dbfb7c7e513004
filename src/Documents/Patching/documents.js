// What scripts see of documents, whatever they are for. Stands before the environment's own source.
const ids = new WeakMap();
let current;

function metadataOf(document) {
  if (document === null || typeof document !== 'object')
    throw new TypeError('A document is expected.');
  return document['@metadata'] ??= {};
}

function id(document = current) {
  if (document === null || typeof document !== 'object')
    return null;
  return ids.get(document) ?? document['@metadata']?.['@id'] ?? null;
}

function loadOne(key) {
  if (key === null || key === undefined)
    return null;
  const text = host.load(String(key));
  if (text === null)
    return null;
  const document = json.parse(text);
  ids.set(document, document['@metadata']['@id']);
  return document;
}

function load(keys) {
  return Array.isArray(keys) ? keys.map(loadOne) : loadOne(keys);
}

// The steps of a path such as 'lines[].product' or 'items[0].name': names, numbers of elements, and null for each element.
function stepsOf(path) {
  return path.split('.').flatMap(part => {
    const [, name, subscripts] = /^(.*?)((?:\[\d*\])*)$/.exec(part);
    return [name, ...[...subscripts.matchAll(/\[(\d*)\]/g)].map(([, index]) => index === '' ? null : Number(index))];
  });
}

// The values at a path, which is text or its steps: one, or an array where the path goes through one. 'lines.Count' is the number of
// elements of an array. Plain projections find the same values (JsonFieldPath). Ids to load are wanted as an array wherever the path has
// '[]', and 'ids[]' has one id that stands in no array, too.
function valueAt(document, path, areIds = false) {
  const steps = Array.isArray(path) ? path : stepsOf(path);
  const found = [];
  let isMany = areIds && steps.includes(null);
  const visit = (value, at) => {
    const step = steps[at];
    if (at === steps.length) {
      found.push(value);
    } else if (!Array.isArray(value)) {
      if (value !== null && typeof value === 'object' && typeof step === 'string' && Object.hasOwn(value, step))
        visit(value[step], at + 1);
      else if (areIds && step === null && at === steps.length - 1)
        found.push(value);
    } else if (typeof step === 'number') {
      if (step < value.length)
        visit(value[step], at + 1);
    } else if (at === steps.length - 1 && /^(Count|count|Length|length)$/.test(step)) {
      found.push(value.length);
    } else {
      isMany = true;
      for (const element of value)
        visit(element, step === null ? at + 1 : at);
    }
  };
  visit(document, 0);
  return isMany ? found : found.at(-1) ?? null;
}

function loadPath(document, path) {
  return load(valueAt(document, Array.isArray(path) ? path : String(path), true));
}

function getMetadata(document = current) {
  return metadataOf(document);
}

function lastModified(document = current) {
  const date = metadataOf(document)['@last-modified'];
  return date === undefined ? null : Date.parse(date);
}

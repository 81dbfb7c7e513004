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

// The values at a path such as 'lines[].product' or 'items[0].name': one, or an array where the path goes through one. 'lines.Count' is the
// number of elements of an array.
function valueAt(document, path) {
  if (document === null || document === undefined)
    return null;
  let values = [document];
  let isMany = false;
  const parts = path.split('.');
  for (const [place, part] of parts.entries()) {
    if (place > 0 && place === parts.length - 1 && /^(Count|count|Length|length)$/.test(part) && values.some(Array.isArray))
      return isMany ? values.filter(Array.isArray).map(array => array.length) : values[0].length;
    const [, name, subscripts] = /^(.*?)((?:\[\d*\])*)$/.exec(part);
    if (values.some(Array.isArray)) {
      isMany = true;
      values = values.flat(Infinity);
    }
    values = values.map(value => value?.[name]).filter(value => value !== undefined);
    for (const [, index] of subscripts.matchAll(/\[(\d*)\]/g)) {
      if (index === '') {
        isMany = true;
        values = values.flat();
      } else {
        values = values.map(value => value?.[Number(index)]).filter(value => value !== undefined);
      }
    }
  }
  return isMany ? values : values[0] ?? null;
}

function loadPath(document, path) {
  return load(valueAt(document, String(path)));
}

function getMetadata(document = current) {
  return metadataOf(document);
}

function lastModified(document = current) {
  const date = metadataOf(document)['@last-modified'];
  return date === undefined ? null : Date.parse(date);
}

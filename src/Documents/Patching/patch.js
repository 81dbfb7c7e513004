// What the scripts of patches see. The first text is the document, the second its id, the third the arguments, all JSON.
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

// The documents at the ids that stand at a path such as 'lines[].product'.
function loadPath(document, path) {
  let values = [document];
  let isMany = false;
  for (const part of String(path).split('.')) {
    const each = part.endsWith('[]');
    const name = each ? part.slice(0, -2) : part;
    values = values.map(value => value?.[name]).filter(value => value !== null && value !== undefined);
    if (each || values.some(Array.isArray)) {
      isMany = true;
      values = values.flat();
    }
  }
  return isMany ? values.map(loadOne) : loadOne(values[0]);
}

function put(key, document, changeVector) {
  if (document === null || typeof document !== 'object')
    throw new TypeError('put(id, document) needs a document.');
  return host.put(key === null || key === undefined ? '' : String(key), json.stringify(document), changeVector);
}

function del(key, changeVector) {
  return host.del(String(key), changeVector);
}

function getMetadata(document = current) {
  return metadataOf(document);
}

function lastModified(document = current) {
  const date = metadataOf(document)['@last-modified'];
  return date === undefined ? null : Date.parse(date);
}

function output(value) {
  host.output(typeof value === 'string' ? value : json.stringify(value) ?? 'undefined');
}

function unsupported(name) {
  return () => { throw new Error(`${name}() is not supported by this version of Jackdaw`); };
}

const globals = { id, load, loadPath, put, del, getMetadata, lastModified, output };
for (const name of ['cmpxchg', 'incrementCounter', 'deleteCounter', 'counter', 'counterRaw', 'timeseries', 'attachments', 'include'])
  globals[name] = unsupported(name);

return {
  globals,
  call(bind, documentText, idText, argumentsText) {
    const document = json.parse(documentText);
    const key = json.parse(idText);
    if (key !== '')
      ids.set(document, key);
    const args = json.parse(argumentsText);
    // 'args' and '$' are all arguments, '$name' is one of them; another name is the query's alias of the document.
    const values = parameters.map(name => name === 'args' || name === '$' ? args : name[0] === '$' ? args[name.slice(1)] : document);
    current = document;
    try {
      bind(...values).call(document);
    } finally {
      current = undefined;
    }
    return json.stringify(document);
  },
};

// What the scripts of patches see. The first text is the document, the second its id, the third the arguments, all JSON.
function put(key, document, changeVector) {
  if (document === null || typeof document !== 'object')
    throw new TypeError('put(id, document) needs a document.');
  return host.put(key === null || key === undefined ? '' : String(key), json.stringify(document), changeVector);
}

function del(key, changeVector) {
  return host.del(String(key), changeVector);
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

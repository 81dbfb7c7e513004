// Names: each that is used is declared, each parameter and variable that is declared is used, and each output of a module is there.

/** Functions and namespaces of Bicep that the files here may use; an unknown one may be misspelt. */
const builtIn = new Set(
  (
    "az sys any array base64 bool cidrHost cidrSubnet concat contains deployer deployment empty endsWith environment filter first flatten format guid " +
    "if indexOf int items join json last length loadFileAsBase64 loadJsonContent loadTextContent loadYamlContent managementGroup map max min newGuid " +
    "object parent range reduce replace resourceGroup resourceId skip sort split startsWith string subscription subscriptionResourceId take tenant " +
    "toLower toObject toUpper trim union uniqueString utcNow"
  ).split(" "),
);

export function checkSymbols(module, used, say) {
  const modules = new Map(module.uses.map((use) => [use.name, use]));
  const declared = new Map([...module.parameters, ...module.variables, ...module.resources, ...modules]);
  const seen = new Set();
  for (const node of module.tree.namedChildren) if (node.type.endsWith("_declaration")) walk(node, new Set());
  for (const [name, { node }] of [...module.parameters, ...module.variables]) if (!seen.has(name)) say(node, `'${name}' is declared and not used`);
  checkLoops(module.tree, say);

  /** @param {Set<string>} local variables of loops and lambdas */
  function walk(node, local) {
    if (node.type === "for_statement" || node.type === "lambda_expression") local = new Set([...local, ...introduced(node)]);
    if (node.type === "member_expression") checkOutput(node);
    if (node.type === "identifier" && isUse(node)) {
      const name = node.text;
      if (declared.has(name)) seen.add(name);
      else if (!local.has(name) && !builtIn.has(name)) say(node, `'${name}' is not declared`);
    }
    // The body of `map(x, y => y.z)` lies, to the grammar, outside of the lambda: its variable holds in the whole call.
    const inner = node.type === "arguments" ? new Set([...local, ...node.descendantsOfType("lambda_expression").flatMap(introduced)]) : local;
    for (const child of node.namedChildren) walk(child, inner);
  }

  function checkOutput(node) {
    const match = /^(\w+)!?(?:\[[^\]]*\])?\.outputs\.(\w+)$/.exec(node.text.replace(/\s/g, ""));
    if (!match || !modules.has(match[1])) return;
    const other = used.get(match[1]);
    if (other && !other.outputs.has(match[2])) say(node, `the module '${modules.get(match[1]).path}' has no output '${match[2]}'`);
  }
}

/** Names that a loop or a lambda brings along. */
function introduced(node) {
  if (node.type === "for_statement") {
    const parameters = node.namedChildren[0];
    return parameters.type === "for_loop_parameters" ? parameters.namedChildren.map((n) => n.text) : [parameters.text];
  }
  // All but the body, which comes last.
  return node.namedChildren.slice(0, -1).flatMap((n) => (n.type === "identifier" ? [n.text] : n.descendantsOfType("identifier").map((i) => i.text)));
}

/** False for names that are declared here, and for names of properties. */
function isUse(node) {
  const parent = node.parent;
  const isFirst = parent.namedChildren[0]?.id === node.id;
  if (parent.type.endsWith("_declaration") && isFirst) return false;
  if (parent.type === "object_property" && isFirst) return false;
  if (parent.type === "resource_expression" && !isFirst) return false;
  if (parent.type === "type" || parent.type === "decorator") return false;
  return true;
}

/** Bicep takes a for-expression as the value of a declaration or of a property of a resource or module, and nowhere else. */
function checkLoops(tree, say) {
  for (const loop of tree.descendantsOfType("for_statement")) {
    const parent = loop.parent;
    if (parent.type.endsWith("_declaration")) continue;
    let above = parent;
    while (above && !above.type.endsWith("_declaration")) above = above.parent;
    const allowed = parent.type === "object_property" && ["resource_declaration", "module_declaration"].includes(above?.type);
    if (!allowed) say(loop, "Bicep takes no for-expression here; use map()");
  }
}

// What a Bicep file declares: parameters with their decorators, variables, resources, modules with what they are given, outputs.
import { literal } from "./bicep-values.mjs";

/** @typedef {{ node, description, type: string, nullable: boolean, default, allowed, minimum, maximum, minimumLength, maximumLength, secure }} Parameter */

export function readModule(tree) {
  const module = { tree, parameters: new Map(), variables: new Map(), resources: new Map(), outputs: new Map(), uses: [] };
  let decorators = new Map();
  for (const node of tree.namedChildren) {
    if (node.type === "decorators") {
      decorators = readDecorators(node);
      continue;
    }
    const name = node.namedChildren[0]?.text;
    if (node.type === "parameter_declaration") module.parameters.set(name, readParameter(node, decorators));
    if (node.type === "variable_declaration") module.variables.set(name, { node });
    if (node.type === "output_declaration") module.outputs.set(name, { node, description: literal(decorators.get("description")?.[0]) });
    if (node.type === "resource_declaration") module.resources.set(name, { node });
    if (node.type === "module_declaration") module.uses.push({ name, node, path: literal(node.namedChildren[1]) ?? "", parameters: readGiven(node) });
    decorators = new Map();
  }
  return module;
}

function readDecorators(node) {
  const found = new Map();
  for (const call of node.descendantsOfType("call_expression")) {
    if (call.parent.type === "decorator") found.set(call.namedChildren[0].text, call.namedChildren[1]?.namedChildren ?? []);
  }
  return found;
}

function readParameter(node, decorators) {
  const number = (name) => (decorators.has(name) ? Number(decorators.get(name)[0].text) : null);
  const type = node.namedChildren.find((child) => child.type === "type");
  return {
    node,
    type: type?.text.replace(/\?$/, "") ?? "",
    nullable: type?.text.endsWith("?") ?? false,
    default: node.namedChildren.slice(2)[0] ?? null,
    description: literal(decorators.get("description")?.[0]),
    allowed: decorators.get("allowed")?.[0].namedChildren.map(literal) ?? null,
    minimum: number("minValue"),
    maximum: number("maxValue"),
    minimumLength: number("minLength"),
    maximumLength: number("maxLength"),
    secure: decorators.has("secure"),
  };
}

/** The parameters that a module is given, whether it is one, conditional or many. */
function readGiven(node) {
  const object = node.descendantsOfType("object")[0];
  const params = object?.namedChildren.find((p) => p.type === "object_property" && p.namedChildren[0].text === "params")?.namedChildren[1];
  return new Map((params?.namedChildren ?? []).filter((p) => p.type === "object_property").map((p) => [p.namedChildren[0].text, p.namedChildren[1]]));
}

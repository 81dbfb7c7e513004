// Checks what the types of resources do not show: that names resolve, across files too.
//   node bicep.mjs ROOT MAIN.bicep PARAMETERS.bicepparam...      paths below ROOT. Exit 0: no problem found; 1: problems, one a line.
// It sees: syntax; symbols that are not declared, or declared and not used; modules that are missing, parameters and outputs that a module does
// not have, required ones that are not given; values outside of @allowed, @minValue, @maxValue or of another type; for-expressions where Bicep
// takes none; files that are not there to be loaded; secrets, shared keys and addresses open to all. It does not see: types of expressions.
import path from "node:path";
import { createRequire } from "node:module";
import { Language, Parser } from "web-tree-sitter";
import { Problems } from "./problems.mjs";
import { readModule } from "./bicep-module.mjs";
import { checkSecrets } from "./bicep-secrets.mjs";
import { checkSymbols } from "./bicep-symbols.mjs";
import { checkValue, literal } from "./bicep-values.mjs";

const [root, main, ...parameterFiles] = process.argv.slice(2);
if (!main) {
  console.error("usage: bicep.mjs ROOT MAIN.bicep PARAMETERS.bicepparam...");
  process.exit(2);
}
const require = createRequire(import.meta.url);
await Parser.init();
const parser = new Parser();
parser.setLanguage(await Language.load(path.join(path.dirname(require.resolve("tree-sitter-bicep/package.json")), "tree-sitter-bicep.wasm")));

const problems = new Problems(root);
const modules = new Map();
open(main);
for (const file of parameterFiles) checkParameters(file);
problems.finish(`${modules.size} Bicep files and ${parameterFiles.length} files of parameters`);

/** Reads and checks a file and the modules that it uses, each once. Null when it cannot be read. */
function open(file) {
  if (modules.has(file)) return modules.get(file);
  modules.set(file, null);
  const text = problems.read(file);
  if (text === null) return null;
  const tree = parser.parse(text).rootNode;
  if (checkSyntax(file, tree)) return null;
  const module = readModule(tree);
  modules.set(file, module);
  const say = (node, what) => problems.add(file, node.startPosition.row + 1, what);
  for (const [name, parameter] of module.parameters) {
    if (!parameter.description) say(parameter.node, `the parameter '${name}' needs a @description`);
    if (parameter.default) checkValue(parameter.default, parameter, `the default of '${name}'`, say);
  }
  for (const [name, output] of module.outputs) if (!output.description) say(output.node, `the output '${name}' needs a @description`);
  const used = new Map();
  for (const use of module.uses) {
    const target = path.posix.join(path.posix.dirname(file), use.path);
    const other = open(target);
    used.set(use.name, other);
    if (other) checkGiven(use.parameters, other, use.node, `the module '${use.path}'`, say);
  }
  checkSymbols(module, used, say);
  checkSecrets(tree, module, say);
  for (const call of tree.descendantsOfType("call_expression")) {
    const loaded = /^load(TextContent|FileAsBase64|JsonContent|YamlContent)$/.test(call.namedChildren[0]?.text ?? "") && literal(call.namedChildren[1]?.namedChildren[0]);
    if (loaded && !problems.exists(path.posix.join(path.posix.dirname(file), loaded))) say(call, `'${loaded}' is not there to be loaded`);
  }
  return module;
}

/** Compares what is given with what a file takes. */
function checkGiven(given, module, node, what, say) {
  for (const [name, value] of given) {
    const parameter = module.parameters.get(name);
    if (!parameter) say(value, `${what} has no parameter '${name}'`);
    else checkValue(value, parameter, `'${name}'`, say);
  }
  for (const [name, parameter] of module.parameters)
    if (!parameter.default && !parameter.nullable && !given.has(name)) say(node, `${what} needs the parameter '${name}'`);
}

function checkParameters(file) {
  const text = problems.read(file);
  if (text === null) return;
  // The grammar knows Bicep files only. A variable has the form of a parameter's value, and this keeps lines and columns.
  const tree = parser.parse(text.replace(/^param (?=\w+ =)/gm, "var   ")).rootNode;
  if (checkSyntax(file, tree)) return;
  const say = (node, what) => problems.add(file, node.startPosition.row + 1, what);
  const using = literal(tree.descendantsOfType("using_statement")[0]?.namedChildren[0]);
  if (!using) return say(tree, "says not which file it is for (using '…')");
  const module = open(path.posix.join(path.posix.dirname(file), using));
  if (!module) return;
  const given = new Map(tree.namedChildren.filter((n) => n.type === "variable_declaration").map((n) => [n.namedChildren[0].text, n.namedChildren[1]]));
  checkGiven(given, module, tree, `'${using}'`, say);
  checkSecrets(tree, { parameters: new Map() }, say);
}

/** True when the file has an error of syntax. */
function checkSyntax(file, node) {
  if (node.isMissing) problems.add(file, node.startPosition.row + 1, `missing ${node.type}`);
  else if (node.isError) problems.add(file, node.startPosition.row + 1, `syntax error near ${JSON.stringify(node.text.slice(0, 40))}`);
  else return node.children.map((child) => checkSyntax(file, child)).some(Boolean);
  return true;
}

// Writes the relations of a Prisma schema as a join graph, which joinpath.Import
// reads. It needs the npm package @mrleebo/prisma-ast:
//
//   node prisma.mjs schema.prisma > relations.json
import { readFileSync } from "node:fs";
import { getSchema } from "@mrleebo/prisma-ast";

const file = process.argv[2] ?? "schema.prisma";
let schema;
try {
  schema = getSchema(readFileSync(file, "utf8").replace(/[ \t]+$/gm, "")); // it takes no blanks after a brace
} catch (err) {
  console.error(`prisma.mjs: ${file}: ${err.message}`);
  process.exit(1);
}
const models = new Map(schema.list.filter((e) => e.type === "model").map((m) => [m.name, m]));
const fields = (m) => m.properties.filter((p) => p.type === "field");
const text = (v) => (typeof v === "string" ? v.replace(/^"|"$/g, "") : v);
const attribute = (p, name) => p.attributes?.find((a) => a.name === name);
const list = (v) => v?.args ?? v?.value?.args ?? [];

// argument returns a named or the first unnamed argument of an attribute.
function argument(a, name) {
  for (const { value } of a?.args ?? []) {
    if (value?.type === "keyValue" ? value.key === name : name === undefined) return value.value ?? value;
  }
}

// table returns the name of a model's table, with the schema of @@schema.
function table(m) {
  const said = (name) => m.properties.find((p) => p.type === "attribute" && p.name === name);
  const schema = argument(said("schema"), undefined);
  const name = text(argument(said("map"), undefined) ?? argument(said("map"), "name") ?? m.name);
  return schema ? `${text(schema)}.${name}` : name;
}

function column(m, name) {
  const map = attribute(fields(m).find((f) => f.name === name) ?? {}, "map");
  return text(argument(map, undefined) ?? argument(map, "name") ?? name);
}

function unique(m, names) {
  if (names.length === 1) {
    const f = fields(m).find((f) => f.name === names[0]);
    if (f && (attribute(f, "id") || attribute(f, "unique"))) return true;
  }
  return m.properties.some((p) => p.type === "attribute" && (p.name === "id" || p.name === "unique") &&
    list(argument(p, undefined) ?? argument(p, "fields")).slice().sort().join() === names.slice().sort().join());
}

const relationships = [];
for (const m of models.values()) {
  for (const f of fields(m)) {
    const relation = attribute(f, "relation");
    const from = list(argument(relation, "fields"));
    const to = list(argument(relation, "references"));
    const target = models.get(f.fieldType);
    if (!target || from.length === 0 || from.length !== to.length) continue;
    const r = {
      from_table: table(m), from_column: column(m, from[0]),
      to_table: table(target), to_column: column(target, to[0]),
      type: "association", confidence: 0.95, cardinality: unique(m, from) ? "1:1" : "N:1",
      provenance: [`prisma: ${m.name}.${f.name}`],
    };
    if (from.length > 1) {
      r.from_columns = from.map((n) => column(m, n));
      r.to_columns = to.map((n) => column(target, n));
    }
    const role = f.name.replace(/_/g, " ").replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
    if (role.replace(/ /g, "") !== target.name.toLowerCase()) r.role = role;
    relationships.push(r);
  }
}
process.stdout.write(JSON.stringify({ version: 1, relationships }, null, 2) + "\n");

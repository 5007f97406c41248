// Writes the associations of a Sequelize application as a join graph, which
// joinpath.Import reads:
//
//   node sequelize.cjs ./models/index.js > associations.json
//
// The module exports a Sequelize instance, an object with one as "sequelize", or a
// function that returns one of these. Nothing is read from the database.
"use strict";
const path = require("node:path");

async function main(file) {
  let found = require(path.resolve(file));
  if (typeof found === "function" && !found.models) found = await found();
  found = (await found).default ?? found;
  const sequelize = found.models ? found : found.sequelize;
  if (!sequelize?.models) throw new Error(`${file} exports no Sequelize instance`);
  const relationships = Object.values(sequelize.models)
    .flatMap((model) => Object.values(model.associations).flatMap((a) => read(model, a)));
  process.stdout.write(JSON.stringify({ version: 1, relationships }, null, 2) + "\n");
}

function read(model, a) {
  switch (a.associationType) {
    case "BelongsTo":
      return [edge(model, a, a.source, a.identifierField, a.target, a.targetKeyField, "N:1")];
    case "HasOne":
      return [edge(model, a, a.target, a.identifierField, a.source, a.sourceKeyField, "1:1")];
    case "HasMany":
      return [edge(model, a, a.target, a.identifierField, a.source, a.sourceKeyField, "N:1")];
    case "BelongsToMany":
      return [
        edge(model, a, a.through.model, a.identifierField, a.source, a.sourceKeyField, "N:1"),
        edge(model, a, a.through.model, a.foreignIdentifierField, a.target, a.targetKeyField, "N:1"),
      ];
  }
  return [];
}

function edge(model, a, from, fromColumn, to, toColumn, cardinality) {
  const many = a.associationType.endsWith("Many");
  const call = a.associationType[0].toLowerCase() + a.associationType.slice(1);
  const out = {
    from_table: table(from), from_column: fromColumn,
    to_table: table(to), to_column: toColumn,
    type: "association", confidence: 0.9, cardinality,
    provenance: [`sequelize: ${model.name}.${call}(${a.target.name}${a.isAliased ? " as " + a.as : ""})`],
  };
  if (a.isAliased && !many && a.associationType === "BelongsTo") out.role = words(a.as);
  if (a.scope) { // one column refers to several tables
    out.confidence = 0.6;
    out.evidence = [`only rows with ${Object.entries(a.scope).map(([k, v]) => `${k} = ${JSON.stringify(v)}`).join(", ")}`];
  }
  return out;
}

function table(model) {
  const name = model.getTableName();
  if (typeof name === "string") return name;
  return name.schema ? `${name.schema}.${name.tableName}` : name.tableName;
}

function words(name) {
  return name.replace(/[_\s]+/g, " ").replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
}

main(process.argv[2] ?? ".").catch((err) => {
  console.error(`sequelize.cjs: ${err.message}`);
  process.exit(1);
});

// Package joingraph finds the relationships of a schema whose foreign keys are not
// all declared, for package joinpath.
//
// Start with the schema that package [sqldb] reads from the database. Read what an
// application's models say with [joinpath.Import], let Infer find the rest, and put
// all together:
//
//	found, err := joingraph.Infer(ctx, schema, nil)
//	...
//	inferred := &joinpath.Schema{Relationships: found.Relationships}
//	schema, problems, err := joingraph.Combine(schema,
//		joingraph.Source{Name: "models.json", Schema: models},
//		joingraph.Source{Name: "inference", Schema: inferred},
//		joingraph.Source{Name: "corrections.json", Schema: corrections, Manual: true})
//
// [Combine] keeps where each relationship comes from and says what it left out. A
// model can judge the joins that nobody declared ([Validate], [Apply]). [Diff] lists
// what has changed since an earlier graph. The programs in the folder export write
// the models of Sequelize, Prisma, Django and SQLAlchemy; package [gormgraph] reads
// those of GORM.
//
// # Inference
//
// [Infer] reads the names, types and keys of a schema. With a database
// ([InferOptions.Database]) it counts matching rows as well. The result has a
// [joinpath.Relationship] of type [joinpath.Inferred] for each join that is likely, whose
// Evidence says in words why. Columns of the same name that refer to no
// table of the schema are a [joinpath.SharedDimension], whose confidence is at most 0.6.
// One of more than six tables is left out, because so common a name, such as status or
// region, mostly says nothing: where such columns were reported, 34 of 46 were wrong.
//
// # Evidence
//
// The confidence of an edge is a logistic model of its evidence.
//
//   - Names: the column is named like the other table, its key, a role of one of
//     its rows, or an abbreviation of these. What all columns of a table
//     begin with, such as o_ in orders, is left out. A plural is a count. A column that
//     begins with the name of another system has that system's id.
//   - Types: incompatible types exclude an edge. Unknown types are no evidence.
//   - Keys: the other side is a primary or unique key, or looks like one.
//   - Convention: foreign keys that the schema declares have the same form of
//     name.
//   - Rivals: a column refers to one table, so the tables that it may refer to share its
//     probability. Copies of another table, such as an archive, have no share, nor do
//     tables whose key refers to another of these tables.
//   - Data: the share of values that exist on the other side, and whether chance
//     alone explains it. If two keys are numbered from 1 on, the values of one are
//     in the other whether the tables are related or not, so that is no evidence.
//
// # Calibration
//
// The weights of names and keys were fitted on 146 schemas of the Spider training
// set, and measured on schemas that the fit did not see (five folds, split by
// database): of the edges with a confidence of 0.9 or more, 93 % are right. A test of
// this package repeats the fit, and another one measures four schemas of applications with
// 52 to 138 tables: on each of them nine in ten of these edges are right. The weights of types, composite keys, parent rows,
// convention and data are set by hand, because the schemas have none of these; those
// of data are measured on generated rows. BENCHMARKS.md has the figures.
//
// [gormgraph]: https://pkg.go.dev/github.com/qedkit/qed/joinpath/joingraph/gormgraph
// [sqldb]: https://pkg.go.dev/github.com/qedkit/qed/sqldb
package joingraph

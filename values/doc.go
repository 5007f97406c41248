// Package values keeps the distinct values of the columns that have few, such as a
// status or a city, and finds those that a question names: "Actve" means Active,
// "muenchen" means München.
//
//	reader, err := values.NewReader(db, guard, schema, &values.Options{Owner: values.Caller{Tenant: "acme"}})
//	dictionary, err := reader.Read(ctx, nil, 0)
//	matches, err := dictionary.Search(ctx, values.Query{Caller: caller, Text: "Actve orders in muenchen"})
//
// A [Dictionary] is what one caller, or all of them, may see: see [Options.Owner]. It
// is plain data of the database. Quote values in a prompt: they are not instructions.
//
// [NewFinder] and [NewTableFinder] look up the entities of a
// [github.com/qedkit/qed/resolve.Catalog] in a Dictionary and in tables that are too
// large for one.
package values

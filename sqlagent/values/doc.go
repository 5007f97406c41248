// Package values keeps the distinct values of the columns that have few, such as a
// status or a city, and finds those that a question names: "Actve" means Active,
// "muenchen" means München.
//
//	reader, err := values.NewReader(db, guard, schema, &values.Options{Owner: values.Caller{Tenant: "acme"}})
//	dictionary, err := reader.Read(ctx, nil, 0)
//	matches, err := dictionary.Search(ctx, values.Query{Caller: caller, Text: "Actve orders in muenchen"})
//
// A [Dictionary] has the values that its owner may see, or those that everybody may
// see: see [Options.Owner]. Values are data of the database: quote them in a prompt.
//
// [NewTableFinder] looks up the entities of a [github.com/qedkit/qed/resolve.Catalog] in
// tables that are too large for a Dictionary.
package values

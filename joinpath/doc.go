// Package joinpath finds how tables of a relational schema are joined.
//
// A [Schema] lists tables and the relationships between them: foreign keys,
// associations of an object mapper, guesses, corrections by hand. Each
// relationship carries a confidence, a cardinality and its provenance. [Read]
// and [Schema.Write] handle its JSON form, [Merge] lays a file of corrections
// over what was introspected.
//
// [New] compiles a schema into an immutable [Graph], which answers three
// questions:
//
//   - [Graph.ShortestPath]: the best chain of joins from one table to another;
//   - [Graph.Paths]: the k best of them;
//   - [Graph.Connect]: the cheapest trees that join any number of tables.
//
// Every answer is a [Plan]. It knows its joins in order, which of them multiply
// rows, and the FROM clause that carries it out.
//
// # Cost
//
// A relationship costs the negative natural logarithm of its confidence plus a
// price per join ([Options.HopPrice]), in millionths. Costs are integers: a tie
// is an exact tie, and equal input gives equal output, whatever the order in
// which tables, relationships or goroutines come.
//
// Two relationships between the same tables are two different joins (a billing
// and a shipping address) and are never mixed up. A relationship that is listed
// once in each direction is one join.
package joinpath

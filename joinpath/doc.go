// Package joinpath finds how the tables of a relational schema are joined.
//
// A [Schema] lists tables and the relationships between them: foreign keys,
// associations of an object mapper, inferred relationships, manual corrections.
// Package [sqldb] reads one from a database, [Read] from a file, and package [joingraph]
// applies a file of corrections. [New] compiles a schema into a [Graph], which
// answers two questions:
//
//   - [Graph.ShortestPath]: what is the best chain of joins from one table to
//     another?
//   - [Graph.Connect]: which joins connect all of these tables at the lowest
//     cost?
//
// Every answer is a [Plan]: the joins in order, which of them multiply rows, and
// the FROM clause.
//
// # Cost
//
// A relationship costs the negative natural logarithm of its confidence plus a
// price of 0.05 per join, in millionths. A plan that joins many rows with many others
// only because they share a row costs 1 more each time: from an inspection to its
// employee's company and on to all customers of the company, although the inspection has a
// work order of one customer. A join of a table that [Options.Aside] keeps out of the middle
// costs 5 more, unless the table was asked for. Costs are integers, so two
// plans tie only if they cost exactly the same. Equal input gives equal output,
// independent of the order of tables and relationships and of concurrent calls.
//
// Two relationships between the same two tables are two different joins, such as
// a billing and a shipping address. A relationship that is listed once in each
// direction is one join.
//
// [joingraph]: https://pkg.go.dev/github.com/qedkit/qed/joinpath/joingraph
// [sqldb]: https://pkg.go.dev/github.com/qedkit/qed/sqldb
package joinpath

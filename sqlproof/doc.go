// Package sqlproof tells before a statement runs which of its joins and aggregates are
// right, as far as a schema can tell.
//
// A statement may be safe and wrong. In
//
//	SELECT SUM(o.total) FROM orders o JOIN items i ON i.order_id = o.id
//
// each order counts once for each of its items. Create a [Prover] with [New] from the
// [joinpath.Schema] of the database, and pass it each statement that a [secureview.Guard]
// accepted. [Prover.Check] returns a [proof.Report] with an item for every join and for every
// aggregate, window function and column next to aggregates. The verdict of an item is
// proved, contradicted or not checked. An item without a proof is listed as not checked:
// silence does not mean that all is well.
//
// # How it is proved
//
// A table has keys: its primary and unique keys. The cardinalities of relationships prove
// nothing, because the data may contradict them. From the keys, and from the conditions of
// a statement, follows which values determine which rows. Rows repeat for an aggregate if
// the rows that its value comes from do not determine the joined row within a group. The
// rows of subqueries have keys as well: GROUP BY, DISTINCT, LIMIT 1, row_number() = 1 and
// aggregates without GROUP BY make them. No data is read, and no model is asked.
//
// A value that is a product belongs to all of its factors: SUM(i.quantity * p.price) is a
// sum over items. Where no factor determines the others, as in o.total * r.rate with the rates
// of all days, nothing is proved, and neither is a choice between values of both sides, such as
// COALESCE(o.total, p.amount). A condition is no part of a value:
// SUM(CASE WHEN i.quantity > 1 THEN o.total END) adds an order for each of its items. It chooses
// rows as WHERE does: WHEN i.line = 1 leaves an order one item, and WHEN i.id IS NULL none.
//
// The same structure can be meant, as in the sum of the prices of products for each item
// that was sold, and can be wrong. Where a table to look up stands after the table whose
// rows repeat it, the finding is a [proof.Question]; otherwise it is a [proof.Error]. A count of
// joined rows is a fact, and the finding is a [proof.Note] that says what is counted.
package sqlproof

// Package differential generates statements as models write them, and compares
// the rows of two executions of a statement.
//
// [Generate] returns a statement of a dialect over the tables of [Tables]. The
// generator knows types and scopes, so that an engine accepts most of the
// statements. It does not know every rule of an engine: a statement that the
// engine refuses is not an honest one and does not count.
//
// The rows of most statements are determined by the statement: a LIMIT has a
// total order, a window function that depends on the order of ties has a unique
// key. [Statement.Compare] compares what is determined.
package differential

import "math/rand/v2"

// A Statement is a generated statement.
type Statement struct {
	SQL string

	// keys are the output columns by which the rows are sorted, first the most
	// significant.
	keys []int
}

// Generate returns statement n of a seed. The dialect is "sqlite", "mysql" or
// "postgres".
func Generate(dialect string, seed, n uint64) Statement {
	g := generator{
		rng:     rand.New(rand.NewPCG(seed, n)),
		grammar: grammars[dialect],
	}
	return g.statement()
}

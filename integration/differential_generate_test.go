package integration_test

import "math/rand/v2"

// Generated statements are written as models write them, over the tables of genTables. The
// generator knows types and scopes, so that an engine accepts most of them. It does not
// know every rule of an engine: a statement that the engine refuses is not an honest one
// and does not count.
//
// The rows of most statements are determined by the statement: a LIMIT has a
// total order, a window function that depends on the order of ties has a unique
// key. genStatement.compare compares what is determined.

// A genStatement is a generated statement.
type genStatement struct {
	SQL string

	// keys are the output columns by which the rows are sorted, first the most
	// significant.
	keys []int
}

// generate returns statement n of a seed. The dialect is "sqlite", "mysql" or
// "postgres".
func generate(dialect string, seed, n uint64) genStatement {
	g := generator{
		rng:     rand.New(rand.NewPCG(seed, n)),
		grammar: grammars[dialect],
	}
	return g.statement()
}

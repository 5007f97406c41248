package esquery

// A treeScope is what an aggregation knows of those around it.
type treeScope struct {
	// nested is the path of the nested object whose fields the current part of the
	// body sees. It is empty for the document itself.
	nested string
	around int  // the buckets in each of which the aggregation is made
	others bool // its documents need not match the query
}

// A bucketCount is how many buckets an aggregation makes in each bucket around it.
type bucketCount struct {
	sure int // as far as the body and the mapping determine it
	most int // with usual documents; a multiple if a document can be in all of them
}

var oneBucket = sized(1)

func sized(n int) bucketCount { return bucketCount{sure: n, most: n} }

// ofSize returns the count of an aggregation that returns as many buckets as its
// size.
func ofSize(p *value) bucketCount { return sized(count(p, "size", defaultSize)) }

// overlapping returns the count of n buckets that can have the same documents: the
// buckets below have each document n times. 43 buckets take 3.6 s if they have
// others below them, and 86 MB.
func overlapping(n int) bucketCount {
	n = max(1, n)
	return bucketCount{sure: n, most: times(2*min(n, tooMany/2), n)}
}

// fewParents reports buckets in too many buckets.
func (c *checker) fewParents() {
	if c.around > maxParents {
		c.report(ErrTooExpensive, nil,
			"its buckets would be made in each of more than %d buckets: use smaller sizes, wider intervals, or "+
				"hard_bounds for a histogram around it",
			maxParents)
	}
}

// times stays at tooMany, which is above every limit.
func times(a, b int) int {
	if a > 0 && b > tooMany/a {
		return tooMany
	}
	return a * b
}

const tooMany = 1 << 30

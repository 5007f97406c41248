package esquery

import "slices"

var (
	knnParams = withCommon(
		param{key: "field", takes: aText, required: true},
		param{key: "query_vector", takes: anything},
		param{key: "query_vector_builder", takes: refused, why: noModel + "; give the query_vector"},
		param{key: "k", takes: aPositive},
		param{key: "num_candidates", takes: aPositive},
		param{key: "filter"},
		param{key: "similarity", takes: aNumber},
		param{key: "rescore_vector", takes: anything})
	topKNNParams        = append(knnParams, param{key: "inner_hits"})
	rescoreVectorParams = []param{{key: "oversample", takes: aNumber, required: true}}

	// openKNNParams are those of OpenSearch, in the object of a field.
	openKNNParams = withCommon(
		param{key: "vector", takes: anArray, required: true},
		param{key: "k", takes: aPositive},
		param{key: "max_distance", takes: aNumber},
		param{key: "min_score", takes: aNumber},
		param{key: "filter"},
		param{key: "method_parameters", takes: anObject},
		param{key: "rescore", takes: anything},
		param{key: "expand_nested_docs", takes: aSwitch})
)

// topKNN checks the knn of a body, which can be several. The mandatory filter is
// added to each of them, because neighbours are found before anything filters.
func (c *checker) topKNN(v *value) {
	c.each(v, func(knn *value) { c.neighbours(knn, topKNNParams, true) })
}

// knnQuery checks the query knn: with a key field it is that of Elasticsearch,
// otherwise that of OpenSearch, {"FIELD": {"vector": ..., "k": 10}}.
func (c *checker) knnQuery(v *value) {
	if v.kind != object || v.get("field") != nil || v.get("query_vector") != nil {
		c.neighbours(v, knnParams, false)
		return
	}
	m := c.fieldBeside(v, "knn", nil)
	if m == nil {
		return
	}
	c.in(m.key)
	defer c.out()
	f := c.field(&m.key, needVector)
	if c.params(&m.value, "knn", openKNNParams) {
		c.member(&m.value, "vector", func(v *value) { c.vector(f, v) })
		c.tooMany(&m.value, "k")
		c.neighbourFilter(&m.value)
	}
}

// neighbours checks knn as Elasticsearch has it. At the top of a body it finds
// the documents of nested vectors without a nested query.
func (c *checker) neighbours(v *value, known []param, top bool) {
	if !c.params(v, "knn", known) {
		return
	}
	outer := c.nested
	name := v.get("field")
	if f := c.index.mapping.lookup(name.text); f != nil && top && c.visible(name.text) {
		c.nested = f.Nested
	}
	c.in("field")
	f := c.field(&name.text, needVector)
	c.out()
	if f != nil {
		c.member(v, "query_vector", func(v *value) { c.vector(f, v) })
		c.member(v, "inner_hits", c.innerHits)
	}
	c.nested = outer
	c.tooMany(v, "k")
	c.tooMany(v, "num_candidates")
	c.member(v, "rescore_vector", func(r *value) { c.params(r, "rescore_vector", rescoreVectorParams) })
	c.neighbourFilter(v)
}

// vector reports what cannot be a vector of the field.
func (c *checker) vector(f *Field, v *value) {
	switch {
	case v.kind != array || slices.ContainsFunc(v.items, func(v value) bool { return v.kind != number }):
		c.report(ErrInvalidLiteral, nil, "a vector must be an array of numbers")
	case f != nil && f.Dims != 0 && f.Dims != len(v.items):
		c.report(ErrInvalidLiteral, nil, "the vector has %d numbers, and those of %s have %d", len(v.items), quoted(f.Path), f.Dims)
	}
}

// neighbourFilter checks the filter of a knn and adds the mandatory one. The
// filter is on the documents, even if the vectors are nested.
func (c *checker) neighbourFilter(v *value) {
	outer := c.nested
	c.nested = ""
	c.member(v, "filter", c.queries)
	c.nested = outer
	c.confineFilter(v)
}

func (c *checker) tooMany(v *value, key string) {
	if count(v, key, 0) > maxNeighbours {
		c.in(key)
		c.report(ErrTooExpensive, nil, "%s can be at most %d", key, maxNeighbours)
		c.out()
	}
}

package esquery

var (
	knnParams = withCommon(
		param{key: "field", takes: aText, required: true},
		param{key: "query_vector", takes: anything},
		param{key: "query_vector_builder", takes: refused, why: noModel + "; give the query_vector"},
		param{key: "k", takes: aPositive},
		param{key: "num_candidates", takes: aPositive},
		param{key: "filter"},
		param{key: "similarity", takes: aNumber},
		param{key: "rescore_vector", takes: anObject})
	topKNNParams  = append(knnParams, param{key: "inner_hits"})
	rescoreVector = []param{{key: "oversample", takes: aNumber, required: true}}

	// openKNNParams are those of OpenSearch, where they stand in the object of a field.
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

const maxNeighbours = 10_000 // candidates of a shard, of the engines

// topKNN checks the knn of a body, of which there may be several. The mandatory
// filter goes into each of them, as neighbours are found before anything filters.
func (c *checker) topKNN(v *value) {
	if v.kind != array {
		c.neighbours(v, topKNNParams, true)
		return
	}
	for i := range v.items {
		c.at(i)
		c.neighbours(&v.items[i], topKNNParams, true)
		c.out()
	}
}

// knnQuery checks the query: with a key field it is that of Elasticsearch, otherwise
// that of OpenSearch, {"FIELD": {"vector": ..., "k": 10}}. Each has its own type of
// fields.
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
	f := c.knnField(&m.key, "knn_vector", false)
	if !c.params(&m.value, "knn", openKNNParams) {
		return
	}
	bounds := 0
	for _, key := range [...]string{"k", "max_distance", "min_score"} {
		if m.value.get(key) != nil {
			bounds++
		}
	}
	if bounds != 1 {
		c.report(Malformed, nil, "knn needs k, max_distance or min_score, and only one of them")
	}
	c.few(&m.value, "k")
	if f != nil {
		c.in("vector")
		c.vector(f, m.value.get("vector"))
		c.out()
	}
	c.neighbourFilter(&m.value)
}

// neighbours checks knn as Elasticsearch has it. At the top of a body it finds the
// documents around nested vectors by itself.
func (c *checker) neighbours(v *value, known []param, top bool) {
	if !c.params(v, "knn", known) {
		return
	}
	name, vector := v.get("field"), v.get("query_vector")
	c.in("field")
	f := c.knnField(&name.text, "dense_vector", top)
	c.out()
	if vector == nil {
		c.report(Malformed, nil, "knn needs a query_vector")
		return
	}
	if f != nil {
		c.in("query_vector")
		c.vector(f, vector)
		c.out()
	}
	c.few(v, "k")
	c.few(v, "num_candidates")
	if k, candidates := v.get("k"), v.get("num_candidates"); k != nil && candidates != nil {
		of, _ := countOf(candidates)
		if n, _ := countOf(k); n > of {
			c.report(InvalidLiteral, nil, "k must not be more than num_candidates")
		}
	}
	if rescore := v.get("rescore_vector"); rescore != nil {
		c.in("rescore_vector")
		c.params(rescore, "rescore_vector", rescoreVector)
		c.out()
	}
	if hits := v.get("inner_hits"); hits != nil && f != nil {
		outer := c.nested
		c.nested = f.Nested
		c.in("inner_hits")
		c.innerHits(hits)
		c.out()
		c.nested = outer
	}
	c.neighbourFilter(v)
}

// neighbourFilter checks the filter of a knn, which is on the documents also where
// the vectors are nested, and puts the mandatory one into it.
func (c *checker) neighbourFilter(v *value) {
	if filter := v.get("filter"); filter != nil {
		outer := c.nested
		c.nested = ""
		c.in("filter")
		c.queries(filter)
		c.out()
		c.nested = outer
	}
	c.confineFilter(v)
}

// knnField returns the field of that name if it has vectors of that type, with an
// index. It may lie in any nested object where nested is set.
func (c *checker) knnField(name *string, kind string, nested bool) *Field {
	outer := c.nested
	if f := c.index.mapping.lookup(*name); f != nil && nested && c.visible(*name) {
		c.nested = f.Nested
	}
	f := c.field(name, needVector)
	c.nested = outer
	switch {
	case f == nil:
		return nil
	case f.Type != kind && kind == "knn_vector":
		c.report(FieldType, nil, `%s is of type %s, for which knn is written {"field": ..., "query_vector": ...}`, quoted(f.Path), f.Type)
		return nil
	case f.Type != kind:
		c.report(FieldType, nil, `%s is of type %s, for which there is only the query {"knn": {"FIELD": {"vector": ..., "k": ...}}}`, quoted(f.Path), f.Type)
		return nil
	case !f.indexed:
		c.report(FieldType, nil, "the vectors of %s have no index, and cannot be searched by knn", quoted(f.Path))
		return nil
	}
	return f
}

func (c *checker) few(v *value, key string) {
	if count := v.get(key); count != nil {
		if n, _ := countOf(count); n > maxNeighbours {
			c.in(key)
			c.report(TooExpensive, nil, "%s can be %d at most", key, maxNeighbours)
			c.out()
		}
	}
}

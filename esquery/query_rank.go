package esquery

var (
	distanceFeatureParams = withCommon(
		param{key: "field", takes: anything, required: true},
		param{key: "origin", takes: anything, required: true},
		param{key: "pivot", takes: aText, required: true})
	rankFeatureParams = withCommon(
		param{key: "field", takes: aText, required: true},
		param{key: "saturation", takes: anObject},
		param{key: "log", takes: anObject},
		param{key: "sigmoid", takes: anObject},
		param{key: "linear", takes: anObject})
	rankFunctions = map[string][]param{
		"saturation": {{key: "pivot", takes: aBoost}},
		"log":        {{key: "scaling_factor", takes: aBoost, required: true}},
		"sigmoid":    {{key: "pivot", takes: aBoost, required: true}, {key: "exponent", takes: aBoost, required: true}},
		"linear":     {},
	}
	sparseVectorParams = withCommon(
		param{key: "field", takes: aField, need: needTokens, required: true},
		param{key: "query_vector", takes: anObject},
		param{key: "query", takes: refused, why: noModel + "; give the query_vector"},
		param{key: "inference_id", takes: refused, why: noModel + "; give the query_vector"},
		param{key: "prune", takes: aSwitch},
		param{key: "pruning_config", takes: anObject})
	semanticParams = withCommon(
		param{key: "field", takes: aField, need: needSemantic, required: true},
		param{key: "query", takes: aText, required: true})
)

func (c *checker) distanceFeature(v *value) {
	if !c.params(v, "distance_feature", distanceFeatureParams) {
		return
	}
	name := v.get("field")
	c.in("field")
	var f *Field
	if c.must(name.kind == str, name, "field", "the name of a field") {
		f = c.field(&name.text, needDistance)
	}
	c.out()
	if f == nil {
		return
	}
	c.in("origin")
	c.origin(f, v.get("origin"))
	c.out()
	c.spans(f, v, "pivot")
}

// rankFeature checks a query on a rank_feature, or on a key of rank_features.
func (c *checker) rankFeature(v *value) {
	if !c.params(v, "rank_feature", rankFeatureParams) {
		return
	}
	name := v.get("field")
	c.in("field")
	if !c.feature(name.text) {
		c.field(&name.text, needRankFeature)
	}
	c.out()
	functions := 0
	for i := range v.members {
		m := &v.members[i]
		if known, ok := rankFunctions[m.key]; ok {
			functions++
			c.in(m.key)
			c.params(&m.value, m.key, known)
			c.out()
		}
	}
	if functions > 1 {
		c.report(Malformed, nil, "rank_feature takes one of saturation, log, sigmoid, linear")
	}
}

// feature reports whether path is a key in a rank_features field, which the mapping
// does not list.
func (c *checker) feature(path string) bool {
	for i := len(path) - 2; i > 0; i-- {
		if path[i] == '.' {
			f := c.index.mapping.lookup(path[:i])
			return f != nil && f.family == rankFeaturesFamily && c.visible(path) && f.inScope(c.nested)
		}
	}
	return false
}

func (c *checker) sparseVector(v *value) {
	if !c.params(v, "sparse_vector", sparseVectorParams) {
		return
	}
	vector := v.get("query_vector")
	if vector == nil {
		c.report(Malformed, nil, "sparse_vector needs a query_vector")
		return
	}
	c.in("query_vector")
	defer c.out()
	for i := range vector.members {
		m := &vector.members[i]
		if _, ok := numberOf(&m.value); !ok {
			c.in(m.key)
			c.report(InvalidLiteral, nil, "the weight of a token must be a number")
			c.out()
		}
	}
}

func (c *checker) semantic(v *value) { c.params(v, "semantic", semanticParams) }

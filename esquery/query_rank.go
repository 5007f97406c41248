package esquery

var (
	distanceFeatureParams = withCommon(
		param{key: "field", takes: aField, need: needDistance, required: true},
		param{key: "origin", takes: anything, required: true},
		param{key: "pivot", takes: aText, required: true})
	rankFeatureParams = withCommon(
		param{key: "field", takes: aText, required: true},
		param{key: "saturation", takes: anObject},
		param{key: "log", takes: anObject},
		param{key: "sigmoid", takes: anObject},
		param{key: "linear", takes: anObject})
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
	f := c.index.mapping.lookup(v.get("field").text)
	c.member(v, "origin", func(origin *value) { c.origin(f, origin) })
	c.distances(f, v, "pivot")
}

// rankFeature checks a query on a rank_feature, or on a key of rank_features.
func (c *checker) rankFeature(v *value) {
	if !c.params(v, "rank_feature", rankFeatureParams) {
		return
	}
	c.member(v, "field", func(name *value) {
		if !c.feature(name.text) {
			c.field(&name.text, needRankFeature)
		}
	})
}

// feature reports whether path is a key in a rank_features field. The mapping
// does not list these keys.
func (c *checker) feature(path string) bool {
	for i := len(path) - 2; i > 0; i-- {
		if path[i] == '.' {
			f := c.index.mapping.lookup(path[:i])
			return f != nil && f.family == rankFeaturesFamily && c.visible(path) && f.inScope(c.nested)
		}
	}
	return false
}

func (c *checker) sparseVector(v *value) { c.params(v, "sparse_vector", sparseVectorParams) }

func (c *checker) semantic(v *value) { c.params(v, "semantic", semanticParams) }

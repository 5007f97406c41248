package esquery

var (
	scoreFunctions = []param{
		{key: "weight", takes: aBoost},
		{key: "random_score", takes: anything},
		{key: "field_value_factor", takes: anything},
		{key: "gauss", takes: anything},
		{key: "exp", takes: anything},
		{key: "linear", takes: anything},
		{key: "script_score", takes: aScript, why: "scripts are refused; use field_value_factor or a decay"},
	}
	functionScoreParams = withCommon(append(scoreFunctions,
		param{key: "query", takes: aQuery},
		param{key: "functions", takes: anArray},
		param{key: "score_mode", takes: aText},
		param{key: "boost_mode", takes: aText},
		param{key: "max_boost", takes: aNumber},
		param{key: "min_score", takes: aNumber})...)
	functionParams    = append(scoreFunctions, param{key: "filter", takes: aQuery}, param{key: "_name", takes: aText})
	randomScoreParams = []param{
		{key: "seed", takes: aText},
		{key: "field", takes: aField, need: needSort},
	}
	factorParams = []param{
		{key: "field", takes: aField, need: needFactor, required: true},
		{key: "factor", takes: aNumber},
		{key: "missing", takes: aNumber},
		{key: "modifier", takes: aText},
	}
	decayParams = []param{
		{key: "origin"},
		{key: "scale", takes: aText, required: true},
		{key: "offset", takes: aText},
		{key: "decay", takes: aNumber},
	}
	multiValueMode = param{key: "multi_value_mode", takes: aText}
)

func (c *checker) functionScore(v *value) {
	if !c.params(v, "function_score", functionScoreParams) {
		return
	}
	c.scoreFunction(v)
	c.member(v, "functions", func(functions *value) {
		if c.scorers += len(functions.items); c.scorers > maxFunctions && c.scorers-len(functions.items) <= maxFunctions {
			c.report(ErrTooExpensive, nil, "the functions of a body's function_score can be at most %d", maxFunctions)
		}
		for i := range functions.items {
			c.at(i)
			if f := &functions.items[i]; c.params(f, "a function", functionParams) {
				c.scoreFunction(f)
			}
			c.out()
		}
	})
}

// scoreFunction checks the functions that v has.
func (c *checker) scoreFunction(v *value) {
	c.member(v, "random_score", func(f *value) {
		if c.params(f, "random_score", randomScoreParams) && f.get("seed") != nil && f.get("field") == nil {
			c.report(ErrTooExpensive, []string{"_seq_no"}, `a random_score with a seed needs a field, such as "_seq_no": without one OpenSearch loads the ids of all documents`)
		}
	})
	c.member(v, "field_value_factor", func(f *value) { c.params(f, "field_value_factor", factorParams) })
	for _, name := range [...]string{"gauss", "exp", "linear"} {
		c.member(v, name, func(f *value) { c.decay(f, name) })
	}
}

// decay checks {"FIELD": {"origin": ..., "scale": ...}}, with an optional
// multi_value_mode next to the field.
func (c *checker) decay(v *value, name string) {
	if !c.is(v, object, name) {
		return
	}
	var m *member
	for i := range v.members {
		switch {
		case v.members[i].key == multiValueMode.key:
			c.in(multiValueMode.key)
			c.takes(&v.members[i].value, &multiValueMode)
			c.out()
		case m != nil:
			c.report(ErrMalformed, []string{"functions"},
				"%s takes one field, and engines ignore the others; put one function for each field into functions", name)
			return
		default:
			m = &v.members[i]
		}
	}
	if m == nil {
		return
	}
	c.in(m.key)
	defer c.out()
	f := c.field(&m.key, needDecay)
	if !c.params(&m.value, name, decayParams) || f == nil {
		return
	}
	c.member(&m.value, "origin", func(origin *value) { c.origin(f, origin) })
	c.distances(f, &m.value, "scale", "offset")
}

// origin checks the value from which a distance is measured.
func (c *checker) origin(f *Field, v *value) {
	if f.family == geoPointFamily {
		c.geoPoint(v)
		return
	}
	c.literal(f, v, boundLiteral, "")
}

// distances reports distances in the unit of another type: engines ignore the
// unit of a number, and read 10d from a point as a length.
func (c *checker) distances(f *Field, v *value, keys ...string) {
	for _, key := range keys {
		c.member(v, key, func(distance *value) {
			ok := true
			what := "a number"
			switch f.family {
			case dateFamily: // engines check these
			case geoPointFamily:
				ok, what = isDistance(distance.text), "a distance such as 2km"
			default:
				_, ok = numberOf(distance)
			}
			if !ok {
				c.report(ErrInvalidLiteral, nil,
					"%s must be %s, because %s is of type %s; it is %s",
					key, what, quoted(f.Path), f.Type, quoted(distance.text))
			}
		})
	}
}

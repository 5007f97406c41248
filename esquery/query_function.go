package esquery

import "strings"

var (
	scoreFunctions = []param{
		{key: "weight", takes: aBoost},
		{key: "random_score", takes: anObject},
		{key: "field_value_factor", takes: anObject},
		{key: "gauss", takes: anObject},
		{key: "exp", takes: anObject},
		{key: "linear", takes: anObject},
		{key: "script_score", takes: aScript, why: "scripts are refused; weigh by field_value_factor or a decay"},
	}
	functionScoreParams = withCommon(append(scoreFunctions,
		param{key: "query", takes: aQuery},
		param{key: "functions", takes: anArray},
		param{key: "score_mode", takes: aWord, words: []string{"multiply", "sum", "avg", "first", "max", "min"}},
		param{key: "boost_mode", takes: aWord, words: []string{"multiply", "replace", "sum", "avg", "max", "min"}},
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
		{key: "modifier", takes: aWord, words: []string{"none", "log", "log1p", "log2p", "ln", "ln1p", "ln2p", "square", "sqrt", "reciprocal"}},
	}
	decayParams = []param{
		{key: "origin"},
		{key: "scale", takes: aText, required: true},
		{key: "offset", takes: aText},
		{key: "decay", takes: aNumber},
	}
	multiValueMode = param{key: "multi_value_mode", takes: aWord, words: []string{"min", "max", "avg", "sum", "median"}}
)

func (c *checker) functionScore(v *value) {
	if !c.params(v, "function_score", functionScoreParams) {
		return
	}
	functions := v.get("functions")
	if n := c.scoreFunction(v); n > 1 || n == 1 && functions != nil {
		c.report(Malformed, []string{"functions"}, "several functions go into the array functions, each in an object of its own")
	}
	if functions == nil {
		return
	}
	c.in("functions")
	defer c.out()
	for i := range functions.items {
		f := &functions.items[i]
		c.at(i)
		if c.params(f, "a function", functionParams) {
			n := c.scoreFunction(f)
			if f.get("weight") != nil && n > 1 {
				n--
			}
			if n != 1 {
				c.report(Malformed, nil, "an object of functions has one function, and this has %d", n)
			}
		}
		c.out()
	}
}

// scoreFunction checks the functions that v has, and returns how many it has.
func (c *checker) scoreFunction(v *value) int {
	n := 0
	for i := range v.members {
		m := &v.members[i]
		c.in(m.key)
		switch m.key {
		case "weight", "script_score":
			n++
		case "random_score":
			c.randomScore(&m.value)
			n++
		case "field_value_factor":
			c.params(&m.value, m.key, factorParams)
			n++
		case "gauss", "exp", "linear":
			c.decay(&m.value, m.key)
			n++
		}
		c.out()
	}
	return n
}

func (c *checker) randomScore(v *value) {
	if !c.params(v, "random_score", randomScoreParams) {
		return
	}
	seed := v.get("seed")
	if seed != nil && seed.kind == number && strings.ContainsAny(seed.text, ".eE") {
		c.report(Malformed, nil, "a seed is a whole number or a string")
	}
	if seed != nil && v.get("field") == nil {
		c.report(Malformed, []string{"_seq_no"}, `a random_score with a seed needs a field as well, such as "_seq_no"`)
	}
}

// decay checks {"FIELD": {"origin": ..., "scale": ...}}, beside which
// multi_value_mode can stand.
func (c *checker) decay(v *value, name string) {
	var m *member
	for i := range v.members {
		switch {
		case v.members[i].key == multiValueMode.key:
			c.in(multiValueMode.key)
			c.takes(&v.members[i].value, &multiValueMode)
			c.out()
		case m != nil:
			c.report(Malformed, []string{"functions"}, "%s takes one field, and the others are lost; put one function for each into functions", name)
			return
		default:
			m = &v.members[i]
		}
	}
	if m == nil {
		c.report(Malformed, nil, `%s names no field; it is written {"%s": {"FIELD": {"origin": ..., "scale": ...}}}`, name, name)
		return
	}
	c.in(m.key)
	defer c.out()
	f := c.field(&m.key, needDecay)
	if !c.params(&m.value, name, decayParams) || f == nil {
		return
	}
	if d := m.value.get("decay"); d != nil {
		if n, _ := numberOf(d); n <= 0 || n >= 1 {
			c.in("decay")
			c.report(Malformed, nil, "decay must lie between 0 and 1")
			c.out()
		}
	}
	c.spans(f, &m.value, "scale", "offset")
	origin := m.value.get("origin")
	switch {
	case origin != nil:
		c.in("origin")
		c.origin(f, origin)
		c.out()
	case f.family != dateFamily:
		c.report(Malformed, nil, "%s needs an origin, as %s is no date", name, quoted(f.Path))
	}
}

// origin checks the value from which a distance is taken.
func (c *checker) origin(f *Field, v *value) {
	if f.family == geoPointFamily {
		c.geoPoint(v)
		return
	}
	if !isText(v) {
		c.report(Malformed, nil, "an origin must be a string or number, and is %s", v.kind)
		return
	}
	c.literal(f, v, originLiteral)
}

// spans checks distances on a field. The first of the keys must be above zero.
func (c *checker) spans(f *Field, v *value, keys ...string) {
	for i, key := range keys {
		span := v.get(key)
		if span == nil {
			continue
		}
		ok, what := false, "a number"
		switch f.family {
		case dateFamily:
			ok, what = isTimeSpan(span.text), "a time span such as 10d or 12h"
		case geoPointFamily:
			ok, what = isDistance(span.text), "a distance such as 2km"
		default:
			_, ok = numberOf(span)
		}
		if i == 0 && strings.Trim(span.text, "0.-abcdefghijklmnopqrstuvwxyz") == "" || strings.HasPrefix(span.text, "-") {
			ok, what = false, what+" above zero"
		}
		if !ok {
			c.in(key)
			c.report(InvalidLiteral, nil, "%s must be %s, as %s is of type %s, and is %s", key, what, quoted(f.Path), f.Type, quoted(span.text))
			c.out()
		}
	}
}

// isDistance reports whether s is a length; without a unit it is in metres.
func isDistance(s string) bool {
	return isMeasure(s, "") || isMeasure(s, distanceUnits...)
}

var distanceUnits = []string{"mi", "miles", "yd", "yards", "ft", "feet", "in", "inch", "km", "kilometers",
	"m", "meters", "cm", "centimeters", "mm", "millimeters", "nmi", "NM", "nauticalmiles"}

func isMeasure(s string, units ...string) bool {
	digits := strings.TrimLeft(s, "-+.0123456789")
	number := stringValue(strings.TrimSpace(s[:len(s)-len(digits)]))
	if _, ok := numberOf(&number); !ok {
		return false
	}
	for _, unit := range units {
		if strings.TrimSpace(digits) == unit {
			return true
		}
	}
	return false
}

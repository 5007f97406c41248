package esquery

import (
	"maps"
	"slices"
)

// noAnalyzer: engines ignore the name of an analyzer that they do not have, and
// which ones an index has is not in its mapping.
var noAnalyzer = param{key: "analyzer", takes: refused,
	why: "engines ignore one that they do not have; leave it out to use that of the field"}

var (
	intervalsClause = clauseType{name: "intervals", need: needWords, main: "match"}
	useField        = param{key: "use_field", takes: aField, need: needWords}
	intervalParams  = map[string][]param{
		"match": {
			{key: "query", takes: aText, required: true},
			{key: "max_gaps", takes: aNumber},
			{key: "ordered", takes: aSwitch},
			{key: "mode", takes: aText},
			{key: "filter", takes: anything},
			noAnalyzer, useField,
		},
		"prefix": {{key: "prefix", takes: aText, required: true}, noAnalyzer, useField},
		"wildcard": {
			{key: "pattern", takes: aText, required: true}, {key: "max_expansions", takes: someExpansions}, noAnalyzer, useField,
		},
		"regexp": {
			{key: "pattern", takes: aText, required: true}, {key: "max_expansions", takes: someExpansions}, noAnalyzer, useField,
		},
		"fuzzy": {
			{key: "term", takes: aText, required: true},
			{key: "prefix_length", takes: aCount},
			{key: "transpositions", takes: aSwitch},
			{key: "fuzziness", takes: aFuzziness},
			noAnalyzer, useField,
		},
		"range": {
			{key: "gt", takes: aText}, {key: "gte", takes: aText}, {key: "lt", takes: aText}, {key: "lte", takes: aText},
			noAnalyzer, useField,
		},
		"all_of": {
			{key: "intervals", takes: anArray, required: true},
			{key: "max_gaps", takes: aNumber},
			{key: "ordered", takes: aSwitch},
			{key: "mode", takes: aText},
			{key: "filter", takes: anything},
		},
		"any_of": {{key: "intervals", takes: anArray, required: true}, {key: "filter", takes: anything}},
	}
	intervalFilters = []string{"after", "before", "contained_by", "containing", "not_contained_by", "not_containing",
		"not_overlapping", "overlapping"}
)

// intervals checks {"FIELD": rule}, a query on the positions of words.
func (c *checker) intervals(v *value) {
	m := c.onlyField(v, &intervalsClause)
	if m == nil {
		return
	}
	c.in(m.key)
	defer c.out()
	c.field(&m.key, needWords)
	if !c.is(&m.value, object, "intervals") {
		return
	}
	for i := range m.value.members {
		own := &m.value.members[i]
		if p := paramOf(commonParams, own.key); p != nil {
			c.in(own.key)
			c.takes(&own.value, p)
			c.out()
			continue
		}
		c.rule(own)
	}
}

// rules checks an object of rules, which has one rule unless the engine rejects it.
func (c *checker) rules(v *value) {
	if c.is(v, object, "a rule") {
		for i := range v.members {
			c.rule(&v.members[i])
		}
	}
}

func (c *checker) rule(m *member) {
	c.in(m.key)
	defer c.out()
	known := intervalParams[m.key]
	if known == nil {
		c.report(ErrUnknownKey, slices.Sorted(maps.Keys(intervalParams)), "there is no rule %s", quoted(m.key))
		return
	}
	if !c.deeper() {
		return
	}
	defer c.shallower()
	if !c.params(&m.value, m.key, known) {
		return
	}
	if m.key == "fuzzy" {
		c.lookUp(1)
	}
	c.member(&m.value, "pattern", func(pattern *value) {
		if m.key == "regexp" {
			c.regexpCost(pattern.text)
		} else {
			c.wildcardCost(nil, pattern.text)
		}
	})
	c.member(&m.value, "intervals", func(below *value) {
		for i := range below.items {
			c.at(i)
			c.rules(&below.items[i])
			c.out()
		}
	})
	c.member(&m.value, "filter", c.intervalFilter)
}

func (c *checker) intervalFilter(v *value) {
	if !c.is(v, object, "a filter") {
		return
	}
	for i := range v.members {
		m := &v.members[i]
		c.in(m.key)
		switch {
		case m.key == "script":
			c.report(ErrScript, intervalFilters, "scripts are refused")
		case !slices.Contains(intervalFilters, m.key):
			c.report(ErrUnknownKey, intervalFilters, "there is no filter %s", quoted(m.key))
		default:
			c.rules(&m.value)
		}
		c.out()
	}
}

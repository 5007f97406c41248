package esquery

import (
	"maps"
	"slices"
	"strings"
)

var (
	intervalsClause = clauseType{name: "intervals", need: needWords, main: "match"}
	intervalParams  = map[string][]param{
		"match": {
			{key: "query", takes: aText, required: true},
			{key: "max_gaps", takes: aNumber},
			{key: "ordered", takes: aSwitch},
			{key: "mode", takes: aWord, words: []string{"ordered", "unordered", "unordered_no_overlap"}},
			{key: "analyzer", takes: anAnalyzer},
			{key: "use_field", takes: aField, need: needWords},
			{key: "filter", takes: anything},
		},
		"prefix": {
			{key: "prefix", takes: aText, required: true},
			{key: "analyzer", takes: anAnalyzer},
			{key: "use_field", takes: aField, need: needWords},
		},
		"wildcard": {
			{key: "pattern", takes: aText, required: true},
			{key: "analyzer", takes: anAnalyzer},
			{key: "use_field", takes: aField, need: needWords},
			{key: "max_expansions", takes: someExpansions},
		},
		"regexp": {
			{key: "pattern", takes: aText, required: true},
			{key: "analyzer", takes: anAnalyzer},
			{key: "use_field", takes: aField, need: needWords},
			{key: "max_expansions", takes: someExpansions},
		},
		"fuzzy": {
			{key: "term", takes: aText, required: true},
			{key: "prefix_length", takes: aCount},
			{key: "transpositions", takes: aSwitch},
			{key: "fuzziness", takes: aFuzziness},
			{key: "analyzer", takes: anAnalyzer},
			{key: "use_field", takes: aField, need: needWords},
		},
		"range": {
			{key: "gt", takes: aText}, {key: "gte", takes: aText},
			{key: "lt", takes: aText}, {key: "lte", takes: aText},
			{key: "analyzer", takes: anAnalyzer},
			{key: "use_field", takes: aField, need: needWords},
		},
		"all_of": {
			{key: "intervals", takes: anArray, required: true},
			{key: "max_gaps", takes: aNumber},
			{key: "ordered", takes: aSwitch},
			{key: "mode", takes: aWord, words: []string{"ordered", "unordered", "unordered_no_overlap"}},
			{key: "filter", takes: anything},
		},
		"any_of": {
			{key: "intervals", takes: anArray, required: true},
			{key: "filter", takes: anything},
		},
	}
	intervalFilters = []string{"after", "before", "contained_by", "containing", "not_contained_by", "not_containing",
		"not_overlapping", "overlapping"}
)

// intervals checks {"FIELD": rule}, a query on where the words of a text stand.
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
	var rule *member
	for i := range m.value.members {
		own := &m.value.members[i]
		if p := paramOf(commonParams, own.key); p != nil {
			c.in(own.key)
			c.takes(&own.value, p)
			c.out()
			continue
		}
		if rule != nil {
			c.report(Malformed, []string{"all_of", "any_of"}, "intervals has one rule; several go into all_of or any_of")
			return
		}
		rule = own
	}
	if rule == nil {
		c.report(Malformed, nil, "intervals has no rule, such as match")
		return
	}
	c.rule(rule)
}

// rules checks objects that have one rule each.
func (c *checker) rules(v *value) {
	c.in("intervals")
	defer c.out()
	for i := range v.items {
		c.at(i)
		c.onlyRule(&v.items[i])
		c.out()
	}
}

func (c *checker) onlyRule(v *value) {
	if v.kind != object || len(v.members) != 1 {
		c.report(Malformed, nil, "a rule is an object with one key, such as match")
		return
	}
	c.rule(&v.members[0])
}

func (c *checker) rule(m *member) {
	c.in(m.key)
	defer c.out()
	known := intervalParams[m.key]
	if known == nil {
		c.report(UnknownKey, slices.Sorted(maps.Keys(intervalParams)), "there is no rule %s", quoted(m.key))
		return
	}
	if !c.deeper() {
		return
	}
	defer c.shallower()
	if !c.params(&m.value, m.key, known) {
		return
	}
	if pattern := m.value.get("pattern"); pattern != nil {
		c.in("pattern")
		if m.key == "regexp" {
			c.regexpCost(pattern.text)
		} else if strings.HasPrefix(pattern.text, "*") || strings.HasPrefix(pattern.text, "?") {
			c.wildcardCost(nil, pattern.text)
		}
		c.out()
	}
	if below := m.value.get("intervals"); below != nil {
		c.rules(below)
	}
	if filter := m.value.get("filter"); filter != nil {
		c.in("filter")
		c.intervalFilter(filter)
		c.out()
	}
}

func (c *checker) intervalFilter(v *value) {
	if v.kind != object || len(v.members) != 1 {
		c.report(Malformed, nil, "a filter is an object with one key, such as containing")
		return
	}
	m := &v.members[0]
	c.in(m.key)
	defer c.out()
	switch {
	case m.key == "script":
		c.report(Script, intervalFilters, "scripts are refused")
	case !slices.Contains(intervalFilters, m.key):
		c.report(UnknownKey, intervalFilters, "there is no filter %s", quoted(m.key))
	default:
		c.onlyRule(&m.value)
	}
}

package searchagent

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/qedkit/qed/internal/prompt"
)

// retrieval returns in words what a body finds: "index shipments, port is Miami". Common
// conditions are written out; others are only named.
func retrieval(index string, body json.RawMessage) string {
	members, _ := decoded(body).(map[string]any)
	parts := []string{"index " + index}
	for _, key := range []string{"query", "post_filter"} {
		if text := condition(members[key], 0); text != "" {
			parts = append(parts, text)
		}
	}
	if len(parts) == 1 {
		parts = append(parts, "all documents")
	}
	for _, key := range []string{"aggs", "aggregations"} {
		if text := grouping(members[key], 0); text != "" {
			parts = append(parts, text)
		}
	}
	if text := sorting(members["sort"]); text != "" {
		parts = append(parts, "sorted by "+text)
	}
	if size, ok := members["size"].(json.Number); ok && size != "0" {
		parts = append(parts, "the first "+size.String())
	}
	return prompt.Clip(strings.Join(parts, ", "), maxWords)
}

const (
	maxWords  = 1000 // bytes
	maxWithin = 8    // depth of conditions
	maxListed = 5    // values of a condition
)

// condition returns a query in words, or "" if it has no condition.
func condition(query any, depth int) string {
	object, _ := query.(map[string]any)
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if text := clauseWords(name, object[name], depth); text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, " and ")
}

func clauseWords(name string, v any, depth int) string {
	members, _ := v.(map[string]any)
	switch {
	case depth > maxWithin:
		return "further conditions"
	case name == "bool":
		return boolWords(members, depth+1)
	case name == "constant_score":
		return condition(members["filter"], depth+1)
	case name == "nested":
		return condition(members["query"], depth+1)
	case name == "match_all":
		return ""
	case name == "exists":
		return value(members["field"]) + " exists"
	case name == "ids":
		return "_id " + among(members["values"])
	case name == "multi_match":
		fields := "any field"
		if named := items(members["fields"]); len(named) > 0 {
			fields = anyOf(named, " or ")
		}
		return fields + " has the words " + value(members["query"])
	}
	verb, common := verbs[name]
	for _, field := range slices.Sorted(maps.Keys(members)) {
		if !common || field == "boost" || field == "_name" {
			continue
		}
		return plain(field) + " " + demand(verb, members[field])
	}
	return "a " + plain(name) + " condition"
}

// verbs are the words for common queries on a field.
var verbs = map[string]string{
	"term":                "is",
	"terms":               "is",
	"match":               "has the words",
	"match_phrase":        "has the phrase",
	"match_phrase_prefix": "has a phrase beginning with",
	"match_bool_prefix":   "has words beginning with",
	"prefix":              "begins with",
	"wildcard":            "is like",
	"fuzzy":               "is about",
	"regexp":              "is like the expression",
	"range":               "is",
}

// demand returns the condition on a field in words, from the short or the long form of a
// query.
func demand(verb string, v any) string {
	switch v := v.(type) {
	case []any:
		return among(v)
	case map[string]any:
		if text := bounds(v); text != "" {
			return text
		}
		for _, key := range []string{"value", "query", "wildcard"} {
			if v[key] != nil {
				return verb + " " + value(v[key])
			}
		}
		return verb + " as the query says"
	}
	return verb + " " + value(v)
}

func bounds(of map[string]any) string {
	var parts []string
	for _, b := range []struct{ key, words string }{
		{"gte", "from"}, {"gt", "above"}, {"lte", "up to"}, {"lt", "below"},
	} {
		if v, ok := of[b.key]; ok && v != nil {
			parts = append(parts, b.words+" "+value(v))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "is " + strings.Join(parts, " and ")
}

func boolWords(clauses map[string]any, depth int) string {
	var parts []string
	for _, key := range []string{"must", "filter"} {
		for _, q := range items(clauses[key]) {
			if text := condition(q, depth); text != "" {
				parts = append(parts, text)
			}
		}
	}
	if should := items(clauses["should"]); len(should) > 0 && (clauses["minimum_should_match"] != nil || len(parts) == 0) {
		var either []string
		for _, q := range should {
			if text := condition(q, depth); text != "" {
				either = append(either, text)
			}
		}
		switch least := clauses["minimum_should_match"]; {
		case len(either) == 0, least != nil && value(least) == "0":
		case len(either) == 1:
			parts = append(parts, either[0])
		case least == nil || value(least) == "1":
			parts = append(parts, "("+strings.Join(either, " or ")+")")
		default:
			parts = append(parts, value(least)+" of ("+strings.Join(either, "; ")+")")
		}
	}
	for _, q := range items(clauses["must_not"]) {
		if text := condition(q, depth); text != "" {
			parts = append(parts, "not ("+text+")")
		}
	}
	return strings.Join(parts, " and ")
}

// grouping returns aggregations in words.
func grouping(aggs any, depth int) string {
	all, _ := aggs.(map[string]any)
	if depth > maxWithin {
		return "further groups"
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		agg, _ := all[name].(map[string]any)
		for _, kind := range slices.Sorted(maps.Keys(agg)) {
			if kind == "meta" || kind == "aggs" || kind == "aggregations" {
				continue
			}
			text := plain(kind)
			if params, _ := agg[kind].(map[string]any); params["field"] != nil {
				text += " of " + value(params["field"])
			}
			for _, key := range []string{"aggs", "aggregations"} {
				if within := grouping(agg[key], depth+1); within != "" {
					text += " with " + within
				}
			}
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, " and ")
}

func sorting(sort any) string {
	var parts []string
	for _, s := range items(sort) {
		object, ok := s.(map[string]any)
		if !ok {
			parts = append(parts, value(s))
			continue
		}
		for _, field := range slices.Sorted(maps.Keys(object)) {
			order := object[field]
			if long, ok := order.(map[string]any); ok {
				order = long["order"]
			}
			text := plain(field)
			if order == "desc" {
				text += " descending"
			}
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, ", ")
}

func among(v any) string {
	values := items(v)
	if len(values) == 1 {
		return "is " + value(values[0])
	}
	return "is one of " + anyOf(values, ", ")
}

func anyOf(values []any, sep string) string {
	var parts []string
	for i, v := range values {
		if i == maxListed {
			parts = append(parts, fmt.Sprintf("%d more", len(values)-i))
			break
		}
		parts = append(parts, value(v))
	}
	return strings.Join(parts, sep)
}

// value returns a value of a body for a sentence.
func value(v any) string { return plain(shown(v)) }

// plain quotes a text that could be misread in a sentence.
func plain(text string) string {
	odd := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune(" _-.:/@$*", r)
	}
	if text == "" || strings.ContainsFunc(text, odd) {
		return prompt.Quote(text)
	}
	return text
}

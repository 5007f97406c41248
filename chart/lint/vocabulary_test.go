package lint

import (
	"maps"
	"slices"
	"testing"
)

// TestVocabularyIsInTheSchema checks that each property of the vocabulary is one of
// Vega-Lite, and that what it leaves out is left out on purpose.
func TestVocabularyIsInTheSchema(t *testing.T) {
	s, err := schema()
	if err != nil {
		t.Fatal(err)
	}
	definitions := map[string][]string{
		"autosize":   {"AutoSizeParams"},
		"axis":       {"Axis"},
		"bin":        {"BinParams"},
		"header":     {"Header"},
		"impute":     {"ImputeParams"},
		"legend":     {"Legend"},
		"mark":       {"MarkDef", "BoxPlotDef", "ErrorBarDef", "ErrorBandDef"},
		"projection": {"Projection"},
		"scale":      {"Scale"},
		"timeunit":   {"TimeUnitParams", "BinnedTimeUnitParams"},
		"title":      {"TitleParams"},
		"view":       {"ViewBackground"},
	}
	leftOut := []string{
		"axis labelExpr", "header labelExpr", "legend labelExpr", // expressions
		"mark href", "mark url", // links and images
		"mark time",       // animation
		"scale domainRaw", // an expression
	}
	for section, properties := range vocabulary {
		var known []string
		for _, definition := range definitions[section] {
			known = append(known, s.properties("#/definitions/"+definition)...)
		}
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if !slices.Contains(known, name) {
				t.Errorf("%s %s: Vega-Lite has no such property", section, name)
			}
		}
		for _, name := range known {
			if _, ok := properties[name]; ok == slices.Contains(leftOut, section+" "+name) {
				t.Errorf("%s %s: in the vocabulary: %t", section, name, ok)
			}
		}
	}
}

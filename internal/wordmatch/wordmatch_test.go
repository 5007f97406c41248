package wordmatch_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/wordmatch"
)

func TestWords(t *testing.T) {
	also := wordmatch.SetOf("show results")
	for text, want := range map[string][]string{
		"":                                nil,
		"the of and":                      nil,
		"Show results: SHOW":              nil,
		"Late shipments, late shipment":   {"lat", "shipment", "lat", "shipment"},
		"planned planning plans":          {"plan", "plan", "plan"},
		"it's the company's city, cities": {"compani", "citi", "citi"},
		"Malmö's Häfen 42":                {"malmö", "häfen", "42"},
		"中文字":                             {"中", "文", "中文", "字", "文字"},
		"cut\xffoff":                      {"cut", "off"},
	} {
		if diff := cmp.Diff(want, wordmatch.Words(text, also)); diff != "" {
			t.Errorf("%q (-want +got)\n%s", text, diff)
		}
	}
	if diff := cmp.Diff([]string{"show", "result"}, wordmatch.Words("Show results", nil)); diff != "" {
		t.Errorf("nothing beside the stop words is left out (-want +got)\n%s", diff)
	}
}

func TestRarity(t *testing.T) {
	if rare, common := wordmatch.Rarity(1, 10), wordmatch.Rarity(10, 10); rare <= common || common <= 0 {
		t.Errorf("rare %v, common %v", rare, common)
	}
}

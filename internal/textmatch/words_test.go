package textmatch_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/textmatch"
	"github.com/qedkit/qed/internal/wordset"
)

func TestSplit(t *testing.T) {
	ignored := wordset.Of("show results")
	for text, want := range map[string][]string{
		"":                                nil,
		"the of and":                      nil,
		"Show results: SHOW":              nil,
		"Late shipments, late shipment":   {"lat", "shipment", "lat", "shipment"},
		"planned planning plans":          {"plan", "plan", "plan"},
		"use uses age ages":               {"use", "use", "age", "age"},
		"it's the company's city, cities": {"compani", "citi", "citi"},
		"Malmö's Häfen 42":                {"malmö", "häfen", "42"},
		"中文字":                             {"中", "文", "中文", "字", "文字"},
		"cut\xffoff":                      {"cut", "off"},
	} {
		if diff := cmp.Diff(want, textmatch.Split(text, ignored)); diff != "" {
			t.Errorf("%q (-want +got)\n%s", text, diff)
		}
	}
	if diff := cmp.Diff([]string{"show", "result"}, textmatch.Split("Show results", nil)); diff != "" {
		t.Errorf("without ignored words (-want +got)\n%s", diff)
	}
}

func TestSpaced(t *testing.T) {
	for identifier, want := range map[string]string{
		"arrivalDate":           "arrival Date",
		"ARRIVAL_DATE":          "ARRIVAL DATE",
		"shipment.arrival_date": "shipment arrival date",
		"HTTPStatus":            "HTTP Status",
		"line2Name":             "line2 Name",
		"orderID":               "order ID",
		"größeÄndern":           "größe Ändern",
		"cut\xffOff":            "cut Off",
		"":                      "",
	} {
		if got := textmatch.Spaced(identifier); got != want {
			t.Errorf("Spaced(%q) is %q, want %q", identifier, got, want)
		}
	}
}

func TestRarity(t *testing.T) {
	if rare, common := textmatch.Rarity(1, 10), textmatch.Rarity(10, 10); rare <= common || common <= 0 {
		t.Errorf("rare %v, common %v", rare, common)
	}
}

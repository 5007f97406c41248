package usertext_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/usertext"
)

func TestLanguageOf(t *testing.T) {
	for _, test := range []struct {
		want  string
		texts []string
	}{
		{"de", []string{"Wie viele Schiffe sind verspätet?"}},
		{"de", []string{"Zeig mir alle Aufträge"}},
		{"de", []string{"Große Häfen"}},
		{"de", []string{"Miami?", "Welche Häfen gibt es?", "How many ships are there?"}},
		{"en", []string{"How many ships are late?"}},
		{"en", []string{"List the ships of der Reederei"}},
		{"en", []string{"42", "what is it", "was ist das"}},
		{"", []string{"Miami 2025"}},
		{"", []string{"Combien de navires sont en retard ?"}},
		{"", []string{"¿Cuántos barcos hay?"}},
		{"", nil},
		{"", []string{""}},
	} {
		if got := usertext.LanguageOf(test.texts...); got != test.want {
			t.Errorf("%q: %q, want %q", test.texts, got, test.want)
		}
	}
}

func TestTable(t *testing.T) {
	type texts struct{ A, B string }
	table := usertext.New(map[string]texts{"en": {"a", "b"}, "de": {"ä", "be"}},
		map[string]texts{"de-AT": {B: "own"}, "fr": {A: "à"}})
	for tag, want := range map[string]texts{
		"en": {"a", "b"}, "EN-us": {"a", "b"}, "de": {"ä", "own"}, "de_CH": {"ä", "own"}, "fr": {"à", "b"}, "it": {"a", "b"}, "": {"a", "b"},
	} {
		if diff := cmp.Diff(want, *table.In(tag)); diff != "" {
			t.Errorf("%q: %s", tag, diff)
		}
	}
	if got := usertext.Fill("{a} of {b}, {a}{c}", "a", "{b}", "b", "2"); got != "{b} of 2, {b}{c}" {
		t.Errorf("filled in: %q", got)
	}
}

func TestNumber(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 999: "999", 1000: "1.000", -999: "-999", -1000: "-1.000", -100_000: "-100.000", 1_234_567: "1.234.567",
		math.MinInt64: "-9.223.372.036.854.775.808",
	} {
		if got := usertext.Number(n, "."); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

package usertext_test

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/internal/usertext/usertexttest"
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

func TestFill(t *testing.T) {
	if got := usertext.Fill("{a} of {b}, {a}{c}", "a", "{b}", "b", "2"); got != "{b} of 2, {b}{c}" {
		t.Errorf("filled in: %q", got)
	}
}

var placeholder = regexp.MustCompile(`\{[a-z]+\}`)

// Each language has all texts, with the same names of values, and none is for developers.
func TestLanguages(t *testing.T) {
	const longest = 400 // bytes
	all := map[string]map[string]map[string]string{"en": readTexts(t, "en"), "de": readTexts(t, "de")}
	names := func(text string) []string { return slices.Sorted(slices.Values(placeholder.FindAllString(text, -1))) }
	for section, texts := range all["en"] {
		for _, language := range []string{"en", "de"} {
			for name, english := range texts {
				name, text := section+"."+name, all[language][section][name]
				usertexttest.Text(t, language+" "+name, placeholder.ReplaceAllString(text, "x"))
				if len(text) > longest {
					t.Errorf("%s %s: %d bytes are too long", language, name, len(text))
				}
				if got, want := names(text), names(english); !slices.Equal(got, want) {
					t.Errorf("%s %s: names %q, in English %q", language, name, got, want)
				}
				if language != "en" && text == english {
					t.Errorf("%s %s: it is in English", language, name)
				}
			}
		}
	}
}

func TestTextsOfTheHost(t *testing.T) {
	type texts struct{ Topics, NoRoute, NoText, Declined, CutOff, NotLookedUp, Unproved string }
	table := usertext.Of[texts]("router")
	own, err := usertext.Read(fstest.MapFS{
		"fr.json":    {Data: []byte(`{"router": {"NoText": "Rien."}}`)},
		"de-AT.json": {Data: []byte(`{"router": {"NoText": "Nix."}}`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx := usertext.With(t.Context(), own)
	english, german := *table.In(t.Context(), "en"), *table.In(t.Context(), "de")
	french, austrian := english, german
	french.NoText, austrian.NoText = "Rien.", "Nix."
	for tag, want := range map[string]texts{
		"fr": french, "FR-ca": french, "de": austrian, "de_CH": austrian, "en": english, "EN-us": english, "it": english, "": english,
	} {
		for range 2 {
			if diff := cmp.Diff(want, *table.In(ctx, tag)); diff != "" {
				t.Errorf("%q: %s", tag, diff)
			}
		}
	}
	if got := *table.In(t.Context(), "fr"); got != english {
		t.Errorf("without the texts of the host: %+v", got)
	}
}

func TestReadRefuses(t *testing.T) {
	for file, want := range map[string]string{
		`{"router": {"Nope": "x"}}`:   "fr.json: there is no text router.Nope",
		`{"nope": {"NoText": "x"}}`:   "fr.json: there is no text nope.NoText",
		`{"router": {"NoText": [1]}}`: "fr.json: json: cannot unmarshal",
	} {
		if _, err := usertext.Read(fstest.MapFS{"fr.json": {Data: []byte(file)}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", file, err, want)
		}
	}
	if _, err := usertext.Read(fstest.MapFS{"fr.yaml": {}}); err == nil {
		t.Error("no file: no error")
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

package citation_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/rag/citation"
)

var sources = []citation.Source{
	{Key: "a1", Text: "Orders › Cancelling\nA cancelled work order cannot be opened again. The fee is 1,250.50 EUR, or 12 % of the price. Since 31 March 2026, 3 copies are kept."},
	{Key: "b2", Text: "Rechnungen\nDie Gebühr beträgt 1.250,50 Euro. „Wer zu spät zahlt“, heißt es in § 5 Abs. 2, zahlt seit dem 01.04.2026 Zin-\nsen von 4,5 Prozent."},
}

// kinds returns findings as lines.
func kinds(a qed.CitationAudit) []string {
	var all []string
	for _, f := range a.Findings {
		all = append(all, strings.TrimSpace(string(f.Kind)+" "+f.Text))
	}
	return all
}

func TestAudit(t *testing.T) {
	for text, want := range map[string][]string{
		// Keys.
		"It cannot be opened again [a1].":           nil,
		"It cannot be opened again [a1, b2].":       nil,
		"It cannot be opened again. [a1] So be it.": {"uncited"},
		"It cannot be opened again [a9].":           {"unknown_key a9", "uncited"},
		"It cannot be opened again [7][a1].":        {"unknown_key 7"},
		"See [the manual](x) of [2024] [a1].":       {"wrong_number 2024"},
		// Quotations.
		`It says “cannot be opened again” [a1].`:                                nil,
		`It says "A CANCELLED  work order" [a1].`:                               nil,
		`It says “A cancelled ... opened again.” [a1]`:                          nil,
		`It says “opened […] cancelled” [a1].`:                                  {"wrong_quote opened […] cancelled"},
		`It says “can be opened again” [a1].`:                                   {"wrong_quote can be opened again"},
		`It says “cannot be opened again” [b2].`:                                {"wrong_quote cannot be opened again"},
		`It says “cannot be opened again. The fee is 1,250.50 EUR” there [a1].`: nil,
		`„Wer zu spät zahlt“, zahlt „Zinsen von 4,5 Prozent“ [b2].`:             nil,
		`„Wer zu früh zahlt“, zahlt nichts [b2].`:                               {"wrong_quote Wer zu früh zahlt"},
		`He said “nothing of it”.`:                                              {"uncited", "wrong_quote nothing of it"},
		"The name is `“x y z”` here [a1].":                                      nil,
		// Numbers.
		"The fee is 1,250.50 EUR or 12 % [a1].":         nil,
		"The fee is about 1,250 EUR [a1].":              nil,
		"The fee is 1,350.50 EUR [a1].":                 {"wrong_number 1,350.50"},
		"The fee is 13 % [a1].":                         {"wrong_number 13 %"},
		"Die Gebühr beträgt 1.250,50 Euro [a1][b2].":    nil,
		"Die Gebühr beträgt 1.250,60 Euro [b2].":        {"wrong_number 1.250,60"},
		"Das steht in § 5 Abs. 2 [b2].":                 nil,
		"Das steht in § 6 Abs. 2 [b2].":                 {"wrong_number 6"},
		"1. The fee is 12 % [a1].\n2. It is kept [a1].": nil,
		"There are 99 of them.":                         {"uncited"},
		// Dates.
		"This is so since March 31, 2026 [a1].":           nil,
		"This is so since 2026-03-31 [a1].":               nil,
		"This is so since March 2026 [a1].":               nil,
		"This is so since 2026 [a1].":                     nil,
		"This is so since 3/31/2026 [a1].":                nil,
		"This is so since 30 March 2026 [a1].":            {"wrong_date 30 March 2026"},
		"This is so since April 2026 [a1].":               {"wrong_date April 2026"},
		"Das gilt seit dem 1. April 2026 [b2].":           nil,
		"Das gilt seit dem 1. Mai 2026 [b2].":             {"wrong_date 1. Mai 2026"},
		"Das gilt seit 31.03.2026 [a1], nicht 2025 [a1].": {"wrong_number 2025"},
		// What is not a claim.
		"# A heading\n\nWhy is that so?\n\nIt is like this:\n\n- it cannot be opened [a1]": nil,
		"| a | b |\n|---|---|\n| fee | 12 % [a1] |\n| fee | 14 % [a1] |":                   {"wrong_number 14 %"},
		"": nil,
	} {
		if diff := cmp.Diff(want, kinds(citation.Audit(text, sources))); diff != "" {
			t.Errorf("%s (-want +got)\n%s", text, diff)
		}
	}
}

// An amount may have another unit or another form, and a percentage may be what is left.
func TestAuditOtherForms(t *testing.T) {
	sources := []citation.Source{{Key: "1", Text: "It is open from 8:00 to 18:30. 87 % of the cases end within three weeks, the others take 24 months. " +
		"The unit weighs 1½ tons, its case 2.5 kg, and the cable has 3 km."}}
	for text, want := range map[string][]string{
		"It is open until 18.30 [1].": nil, "It is open until 17.30 [1].": {"wrong_number 17.30"},
		"They end in 21 days [1].": nil, "They end in 28 days [1].": {"wrong_number 28"},
		"13 % do not end in time [1].": nil, "The other 13 percent take longer [1].": nil, "Die übrigen 13 % dauern länger [1].": nil,
		"13 % end in time [1].": {"wrong_number 13 %"}, "14 % do not end in time [1].": {"wrong_number 14 %"},
		"It weighs 1,500 kg [1].": nil, "It weighs 1,600 kg [1].": {"wrong_number 1,600"}, "The case weighs 2,500 grams [1].": nil,
		"The cable has 3,000 metres [1].": nil, "They take 730 days [1].": nil,
	} {
		if diff := cmp.Diff(want, kinds(citation.Audit(text, sources))); diff != "" {
			t.Errorf("%s (-want +got)\n%s", text, diff)
		}
	}
}

func TestAuditCounts(t *testing.T) {
	a := citation.Audit("It is closed [a1]. It stays closed. Nobody knows why. Is it? It is kept [b2].", sources)
	if a.Claims != 4 || a.Uncited != 2 {
		t.Errorf("%d of %d claims have no source", a.Uncited, a.Claims)
	}
}

func FuzzAudit(f *testing.F) {
	f.Add("It says “x” [a1] on 3/4/2026, 5 %. „y [b2, z].")
	f.Fuzz(func(t *testing.T, text string) {
		a := citation.Audit(text, sources)
		if a.Uncited > a.Claims || len(a.Findings) < a.Uncited {
			t.Errorf("%+v", a)
		}
	})
}

func Example() {
	audit := citation.Audit("The fee is 12 % [1]. It was “always due” [1].", []citation.Source{
		{Key: "1", Text: "The fee is 15 % and is always due."},
	})
	for _, f := range audit.Findings {
		fmt.Println(f.Kind, f.Text)
	}
	// Output: wrong_number 12 %
}

func TestAuditOfAResult(t *testing.T) {
	text := citation.NewText(sources, nil)
	text.Write("It is closed [a1]. It stays open [zz9].")
	got := text.Close().Audit(sources)
	want := []string{"uncited", "unknown_key zz9"}
	if diff := cmp.Diff(want, kinds(got)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

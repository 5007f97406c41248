package numeral_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/qedkit/qed/internal/numeral"
)

func TestFind(t *testing.T) {
	for text, want := range map[string]string{
		"It takes three months":                          "3",
		"a three-month notice, twice two-day":            "3 2",
		"twenty-one days, or twenty one":                 "21 21",
		"two hundred and fifty":                          "250",
		"a hundred; one hundred":                         "100 100",
		"three million two hundred thousand and one":     "3200001",
		"two three-month periods":                        "2 3",
		"five to ten":                                    "5 10",
		"six hundred, seven":                             "600 7",
		"the third chapter, the twenty-first century":    "3. 21.",
		"one third":                                      "1 3.",
		"the two hundredth time":                         "200.",
		"hundreds of thousands of millions":              "",
		"someone often tenders a seventh-heaven tension": "7.",
		"drei Monate, zwölf Wochen":                      "3 12",
		"einundzwanzig, dreißig, dreissig":               "21 30 30",
		"zweihundertfünfzig":                             "250",
		"eintausendfünfhundert, tausend, hundertelf":     "1500 1000 111",
		"drei Millionen, zehn tausend":                   "3000000 10000",
		"dreimonatige, zweijährig, fünfmal, zehnfach":    "3 2 5 10",
		"das dritte Kapitel, im einundzwanzigsten":       "3. 21.",
		"ein Monat, eine Woche, einer":                   "",
		"Dreieck, Vierteljahr, Zweig, elfenbein":         "",
		"hundertundeinhundert, tausendtausend":           "",
		"4 billion, 3 hundred and two":                   "",
		"null":                                           "0",
		"":                                               "",
		"three":                                          "3",
		"ELEVEN":                                         "11",
		"hundertundeins":                                 "101",
		strings.Repeat("a", 200):                         "",
	} {
		var got []string
		for _, n := range numeral.Find(text) {
			s := fmt.Sprint(n.Value)
			if n.Ordinal {
				s += "."
			}
			if n.Begin >= n.End || n.End > len(text) {
				t.Errorf("%q: %+v", text, n)
			}
			got = append(got, s)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", text, strings.Join(got, " "), want)
		}
	}
}

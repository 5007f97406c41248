package qed

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStrangers(t *testing.T) {
	seen := newNumberSet()
	seen.addJSON([]byte(`{"mean":4.166666,"share":0.237,"change":-3.25,"total":1234567,"groups":[1,234],"tiny":1.5e-05,
		"when":"2025-01-08T10:30:00Z","id":12345678901234567,"name":"Pier 17","one":0.5,"2024-Q3":null}`))
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"Nothing to see here.", nil},
		{"The mean is 4.166666.", nil},
		{"The mean is 4.17, about 4.2", nil},
		{"The mean is 4,17.", nil},        // as in German
		{"It is about 4.", []string{"4"}}, // one digit is like too many
		{"The mean is 4.3 and 4.18.", []string{"4.3", "4.18"}},
		{"That is 23.7% or 23.7 percent or 24 %.", nil},
		{"That is 23.7.", []string{"23.7"}}, // not in percent
		{"A half: 50%.", nil},
		{"It fell by 3.25, so -3.25 or \u22123.3.", nil},
		{"It is -4.17.", []string{"4.17"}}, // it is not negative
		{"In all 1,234,567, 1.234.567 and 1'234'567", nil},
		{"1.2 million, 1.23M, 1235k", nil},
		{"1.3 million", []string{"1.3"}},
		{"On 8 January 2025 at 10:30; 08.01.2025; 2025-01-08.", nil},
		{"On 9 January 2025.", []string{"9"}},
		{"Number 12345678901234567.", nil},
		{"Number 12345678901234568.", []string{"12345678901234568"}},
		{"Pier 17 in Q3 of 2024", nil},
		{"Pier 18", []string{"18"}},
		{"\u0664.\u0661\u0667 and \u0661\u0668", []string{"\u0661\u0668"}}, // Arabic digits: 4.17 and 18
		{"½ of 5 m²", []string{"½", "5"}},
		{"USD5000", []string{"5000"}},
		{"0.000015", nil},
		{"1,234 is 1 and 234, not 1234.", []string{"1,234", "1234"}}, // an array is no number
	} {
		if diff := cmp.Diff(tt.want, seen.strangers(tt.text)); diff != "" {
			t.Errorf("%s: strangers (-want +got)\n%s", tt.text, diff)
		}
	}
}

func FuzzStrangers(f *testing.F) {
	f.Add("1,234.50 of -3 (12.5 %), ½, 2025-01-08", `{"a":[1,2.5e300],"b":"1'000"}`)
	f.Fuzz(func(t *testing.T, text, data string) {
		seen := newNumberSet()
		seen.addJSON([]byte(data))
		seen.strangers(text)
		own := newNumberSet()
		own.addText(text)
		for _, strange := range own.strangers(text) {
			if w := writtenNumbers(strange); len(w) == 1 && w[0].readings != nil {
				t.Errorf("%q has %q, and is said not to", text, strange)
			}
		}
	})
}

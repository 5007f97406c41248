package tools

import (
	"strings"
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
		{"1.3 million", []string{"1.3 million"}},
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
		if diff := cmp.Diff(tt.want, seen.strangers(tt.text, styleOf(tt.text))); diff != "" {
			t.Errorf("%s: strangers (-want +got)\n%s", tt.text, diff)
		}
	}
}

// What a text says of data, in the ways in which people and models write numbers.
func TestStrangersOfForms(t *testing.T) {
	const stands, strange = true, false
	for _, tt := range []struct {
		data, text string
		want       bool // the numbers of the text stand in the data
	}{
		// Words and letters for powers of ten.
		{`{"loss":20}`, "Miami lost 20 million dollars.", strange},
		{`{"loss":20}`, "Miami lost 20bn.", strange},
		{`{"loss":20}`, "Miami lost 20k.", strange},
		{`{"loss":20}`, "Miami lost 20M, or 20 K.", strange},
		{`{"loss":20}`, "Miami lost $20 m.", strange},
		{`{"loss":20}`, "It lost EUR20m.", strange},
		{`{"loss":20}`, "It lost USD 20 mm.", strange},
		{`{"loss":20}`, "It lost 20 kEUR.", strange},
		{`{"loss":20}`, "It lost 20 T€.", strange},
		{`{"loss":20}`, "It lost 20-million.", strange},
		{`{"loss":20}`, "It lost 20 (million).", strange},
		{`{"loss":20}`, "It lost **20** million.", strange},
		{`{"loss":20}`, "It lost 20 *million*.", strange},
		{`{"loss":20}`, "It lost 20MM.", strange},
		{`{"loss":20}`, "It lost 20 Mio. Euro, 20 Mrd. Euro, 20 Tsd.", strange},
		{`{"loss":20}`, "It lost 20 lakh.", strange},
		{`{"loss":20}`, "损失20万元", strange},
		{`{"loss":20}`, "20 млн", strange},
		{`{"a":20,"b":30000000}`, "It lost 20 to 30 million.", strange},
		{`{"a":20,"b":30000000}`, "It lost $20–$30m.", strange},
		{`{"a":20000000,"b":30000000}`, "It lost 20–30 million, between $20 and $30 million.", stands},
		{`{"x":20000}`, "Miami lost 20 thousand, 20k, 20 K, 20 kEUR, EUR 20k, 20 Tsd. Euro, 20 TEUR, 20 mila, 20 mille.", stands},
		{`{"x":1234567}`, "1.2 million, 1.23m, $1.2 M, 1,235k, 1.2 Mio., 1,2 Mio. Euro, 1,2 MEUR, 1.2 million-dollar", stands},
		{`{"x":3000000}`, "EUR 3 Mio.", stands},
		{`{"x":3012345}`, "EUR 3 Mio.", stands},
		{`{"x":3400000}`, "EUR 3 Mio.", strange},
		{`{"x":2e9}`, "$2bn, 2 Mrd. Euro, 2 billion, 2B, $2 b, 2000 million, 2 milliards d'euros", stands},
		{`{"x":2e9}`, "Son 2 mil millones de euros por el puerto, 2.000 millones.", stands},
		{`{"x":2e9}`, "Es sind 2 Billionen Euro.", strange},
		{`{"x":2e12}`, "Es sind 2 Billionen Euro.", stands},
		{`{"x":2e12}`, "It is $2 trillion, $2tn or $2T.", stands},
		{`{"x":200000}`, "20万, 2 lakh, 2 hundred thousand", stands},
		{`{"revenue_millions":20}`, "It made 20 million, 20M, $20m, 20,000,000.", stands},
		{`{"revenueMillions":{"Miami":20}}`, "Miami made 20 million.", stands},
		{`{"revenue_millions":20}`, "It made 20 billion.", strange},
		{`{"revenue (k€)":20}`, "It made 20 k€.", stands},
		{`{"revenue_keur":20,"loss":7}`, "It made 20k", stands},
		{`{"revenue_keur":20,"loss":7}`, "It lost 7k", strange},
		{`{"value":20,"unit":"million USD"}`, "It made 20 million.", stands},
		{`{"note":"20 million dollars"}`, "It made 20 million.", stands},
		{`{"note":"20 million dollars"}`, "It made 20.", strange},
		{`{"length_m":20}`, "It is 20m long, and 20 m wide.", stands},
		{`{"length":20}`, "It is 20 m long, of 20 m², 20 mm, 20 km, 20 kg, 20 MW, 20 t.", stands},
		{`{"gate":"2B"}`, "Gate 2B", stands},

		// Percent.
		{`{"share":20}`, "Miami has 20 % of all.", stands},
		{`{"loss":0.2}`, "Miami has 20 per day.", strange},
		{`{"loss":20}`, "Miami has 20 per day.", stands},
		{`{"share":0.2}`, "20 per cent, 20 percent, 20 Prozent, 20 pour cent, 20 por ciento, 20 %, 20-percent, %20", stands},
		{`{"share":0.2}`, "It costs 20 cents.", strange},
		{`{"a":0.2,"b":0.3}`, "20–30 %, between 20 and 30 percent", stands},
		{`{"share":0.2}`, "2%", strange},
		{`{"share":0.2345}`, "23.5 %, 23.45%, 23%", stands},
		{`{"share":0.2345}`, "24 %", strange},

		// Exponents.
		{`{"a":1,"b":6}`, "Miami lost 1e6 dollars.", strange},
		{`{"a":1,"b":6}`, "Miami lost USD1e6, 1E+06", strange},
		{`{"a":1.2,"b":10,"c":6}`, "1.2 × 10^6", strange},
		{`{"a":2,"b":10}`, "2·10⁶", strange},
		{`{"a":10,"b":6}`, "10^6", strange},
		{`{"x":20,"y":6}`, "Miami lost 20^6 dollars", strange},
		{`{"x":20}`, "20²", strange},
		{`{"x":2}`, "2½", strange},
		{`{"x":1000000}`, "1e6, 1E+06, 1.0e6, 10^6, 1 × 10^6, 1·10⁶", stands},
		{`{"x":0.000015}`, "1.5e-5, 1.5 x 10^-5, 1.5×10⁻⁵, 0.000015", stands},
		{`{"x":1e400}`, "1e400", stands},
		{`{"x":1}`, "1e99999999999", strange},
		{`{"x":"Size 1½"}`, "Size 1½", stands},

		// Groups of digits.
		{`{"a":12,"b":345}`, "Miami lost 12 345 dollars.", strange},
		{`{"a":12,"b":345}`, "12 345", strange},
		{`{"a":12,"b":345}`, "12 345", strange},
		{`{"a":12,"b":345}`, "12 345", strange},
		{`{"a":12,"b":345}`, "12'345", strange},
		{`{"a":12,"b":345}`, "12’345", strange},
		{`{"a":12,"b":345}`, "EUR12 345", strange},
		{`{"a":12,"b":345}`, "12_345", strange},
		{`{"a":12,"b":345}`, "12\u2018345", strange},
		{`{"a":12,"b":345}`, "12\u200b345", strange},
		{`{"a":12,"b":0}`, "12 000", strange},
		{`{"a":12,"b":0}`, "12, 000", strange},
		{`{"a":12,"b":0}`, "12-000", strange},
		{`{"a":12,"b":0}`, "12, 0 or 0.000", stands},
		{`{"a":12,"b":345}`, "12, 345 and 12; 345", stands},
		{`{"a":1,"b":234567}`, "1 234 567", strange},
		{`{"x":12345}`, "12 345, 12 345, 12 345, 12'345, 12’345, 12,345, CHF12'345, 12_345", stands},
		{`{"x":1234567.5}`, "1 234 567,5; 1'234'567.5; 1,234,567.5; 1.234.567,5; 12,34,567.5", stands},
		{`{"x":1234567}`, "12,34,567 or 1٬234٬567", stands},
		{`{"when":"2025-01-15T10:30:00Z","n":120,"s":"SH-211"}`, "In Q1 2025 120 were late; on 2025-01-15 120, at 10:30 120, and of SH-211 120.", stands},
		{`{"a":10000,"b":20000}`, "10 000-20 000, 10\u202f000\u2013\u202f20\u202f000", stands},
		{`{"x":1000}`, "Miami lost 1,000.50.", strange},
		{`{"x":5}`, "It is .5.", strange},
		{`{"x":0.5}`, "It is .5, 0.5, 0,5 or 50%.", stands},
		{`{"x":-0.5}`, "It is -.5.", stands},
		{`{"x":1234}`, "１，２３４", stands},

		// One separator before three digits.
		{`{"x":1.234}`, "Miami lost 1,234.", strange},
		{`{"x":1234}`, "Miami lost 1.234 dollars.", strange},
		{`{"x":1.234}`, "Miami lost 1.234.", stands},
		{`{"x":1234}`, "Miami lost 1,234 dollars.", stands},
		{`{"x":1234}`, "Der Verlust liegt bei 1.234 Euro.", stands},
		{`{"x":1.234}`, "Der Verlust liegt bei 1.234 Euro.", strange},
		{`{"x":1.234}`, "Der Mittelwert ist 1,234.", stands},
		{`{"x":1234}`, "Der Mittelwert ist 1,234.", strange},
		{`{"x":1234}`, "La perte est de 1.234 euros pour le port.", stands},
		{`{"x":1234}`, "La perte est de 1 234 euros.", stands},
		{`{"x":1234,"y":4.17}`, "1.234 und 4,17", stands},
		{`{"x":1.234,"y":4.17}`, "1,234 und 4,17", stands},
		{`{"x":1.234,"y":1000}`, "Im Mittel 1.234 von CHF 1'000", stands},
		{`{"x":0.652}`, "Der Wert ist 0.652, also 0,65.", stands},
		{`{"x":"12.345 Stück"}`, "Es sind 12.345 Stück.", stands},
		{`{"x":"12.345"}`, "12.345, about 12.3", stands},
		{`{"x":"12.345"}`, "12,345 and 12345", strange},
		{`{"x":"$1,234"}`, "1,234 or 1234", stands},
		{`{"x":"$1,234"}`, "1.234", strange},

		// Dates, ordinals, versions and identifiers.
		{`{"t":"2025-01-15T10:30:00Z"}`, "15 January 2025, January 15th, 15.01.2025, 15.1.2025, 01/15/2025, 2025/01/15, 10:30", stands},
		{`{"t":"2025-01-08"}`, "Am 08.01. kam es, und am 8.1. ging es; 2025.01.08", stands},
		{`{"t":"2025-01-15"}`, "On 16 January 2025", strange},
		{`{"a":4,"b":10}`, "The mean is 4.10.", strange},
		{`{"q":"2024-Q3"}`, "the 3rd quarter of 2024, Q3/2024", stands},
		{`{"q":"2024-Q3"}`, "the 2nd quarter", strange},
		{`{"version":"1.2.3"}`, "Version 1.2.3, v1.2.3", stands},
		{`{"version":"1.2.3"}`, "Version 3.2.1", strange},
		{`{"p":"USMIA-77","s":"SH-11141","f":"A320neo"}`, "USMIA-77, SH-11141 and an A320neo", stands},
		{`{"s":"SH-11141"}`, "SH-11142", strange},
		{`{"id":"a53e8f12"}`, "a53e8f12", stands},
		{`{"sales_2024":7,"top_10":8}`, "In 2024 it was 7 of the top 10", stands},
		{`{"x":20}`, "Miami lost 20·10", strange},
		{`{"loss":-20}`, "It lost 20; the change is -20, −20.", stands},
	} {
		seen := newNumberSet()
		seen.addJSON([]byte(tt.data))
		if got := seen.strangers(tt.text, styleOf(tt.text)); (len(got) == 0) != tt.want {
			t.Errorf("%s: %s: strangers %q", tt.data, tt.text, got)
		}
	}
}

// One wrong number of several is found, and only that.
func TestStrangersNamesTheWrongOnes(t *testing.T) {
	seen := newNumberSet()
	seen.addJSON([]byte(`{"a":20,"b":30}`))
	text := "Of 20, 30 million were late, and 30 k, but 20% and 31."
	if diff := cmp.Diff([]string{"30 million", "30 k", "31"}, seen.strangers(text, styleOf(text))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Where a text does not tell how it writes numbers, the request does.
func TestStyleOf(t *testing.T) {
	for _, tt := range []struct {
		texts []string
		want  numberStyle
	}{
		{nil, pointStyle},
		{[]string{"Umsatz: 1.234 EUR"}, pointStyle},
		{[]string{"Umsatz: 1.234 EUR", "Wie hoch ist der Umsatz?"}, commaStyle},
		{[]string{"Revenue: 1,234", "What is the revenue?"}, pointStyle},
		{[]string{"The mean of the delays is 4,17"}, commaStyle},
		{[]string{"Der Mittelwert ist 4.17", "Wie viele?"}, pointStyle},
		{[]string{"1,234,567", "Wie hoch ist der Umsatz?"}, pointStyle},
		{[]string{"1.234.567"}, commaStyle},
		{[]string{"Der Umsatz: 1'234.5"}, pointStyle},
		{[]string{"Выручка 1.234"}, commaStyle},
		{[]string{"売上は1,234"}, pointStyle},
	} {
		if got := styleOf(tt.texts...); got != tt.want {
			t.Errorf("%q: style %d, want %d", tt.texts, got, tt.want)
		}
	}
}

// A text is read in the language of the request where it does not tell its own, and a value always as JSON has it.
func TestInsightRests(t *testing.T) {
	seen := newNumberSet()
	seen.addJSON([]byte(`{"total":1234,"mean":5.678}`))
	for _, tt := range []struct {
		text, value, request string
		want                 bool
	}{
		{"Umsatz: 1.234 EUR", "1234", "Wie hoch ist der Umsatz?", true},
		{"Umsatz: 1,234 EUR", "1234", "Wie hoch ist der Umsatz?", false},
		{"Mittel: 5,678", "5.678", "Wie hoch ist das Mittel?", true},
		{"Revenue: 1,234", "1,234", "What is the revenue?", true},
		{"Revenue: 1.234", "1234", "What is the revenue?", false},
		{"Umsatz: 1.234 EUR", "1.234", "Wie hoch ist der Umsatz?", false},
		{"Revenue: 1,234", "1234 million", "What is the revenue?", false},
		{"Revenue: 1,234", "much", "What is the revenue?", false},
	} {
		i := insight{tt.text, []figure{{"it", tt.value}}}
		if strangers, ok := i.rests(seen, tt.request); ok != tt.want {
			t.Errorf("%s, %s: %v, strangers %q", tt.text, tt.value, ok, strangers)
		}
	}
}

// In rows the name of a column, or a cell beside it, may say what a number is counted in.
func TestStrangersOfRows(t *testing.T) {
	seen := newNumberSet()
	for _, line := range [][]any{
		{"port", "revenue_mio", "ships", "amount", "unit", "2024"},
		{"Miami", 20.5, int64(7), "3.25", "kEUR", nil},
		{"Houston", "31.5", int64(8), int64(9), "EUR", nil},
	} {
		seen.addCells(line, longestCell)
	}
	for text, want := range map[string][]string{
		"In 2024 Miami made 20.5 million, Houston 31.5M.":  nil,
		"Miami has 7 ships, and 3.25 kEUR, that is 3,250.": nil,
		"Houston has 9 kEUR":                               {"9 kEUR"},
		"Houston has 8 million":                            {"8 million"},
	} {
		if diff := cmp.Diff(want, seen.strangers(text, styleOf(text))); diff != "" {
			t.Errorf("%s (-want +got)\n%s", text, diff)
		}
	}
}

// JSON that is cut off counts as far as it goes, and an array in it is no number.
func TestStrangersOfCutJSON(t *testing.T) {
	seen := newNumberSet()
	seen.addText(`{"revenue_millions":20,"list":[1,234,{"x":5.5,"y":"abc 77`)
	for text, want := range map[string][]string{
		"20 million, 234, 5.5 and 77": nil,
		"1,234 and 55":                {"1,234", "55"},
	} {
		if diff := cmp.Diff(want, seen.strangers(text, styleOf(text))); diff != "" {
			t.Errorf("%s (-want +got)\n%s", text, diff)
		}
	}
}

func FuzzStrangers(f *testing.F) {
	f.Add("1,234.50 of -3 (12.5 %), ½, 2025-01-08", `{"a":[1,2.5e300],"b":"1'000"}`)
	f.Add("20 to 30 million, 1.2 \u00d7 10\u2076, .5 and $3m, 12 345 kEUR, 20\u4e07", `{"revenue_millions":[1],"unit":"k"}`)
	f.Fuzz(func(t *testing.T, text, data string) {
		seen := newNumberSet()
		seen.addJSON([]byte(data))
		seen.strangers(text, styleOf(text))
		if strings.ContainsAny(text, "[{") {
			return // as JSON it may be other numbers than as a text
		}
		own := newNumberSet()
		own.addText(text)
		for _, strange := range own.strangers(text, styleOf(text)) {
			if w := writtenNumbers(strange, styleOf(text)); len(w) == 1 && w[0].readings != nil {
				t.Errorf("%q has %q, and is said not to", text, strange)
			}
		}
	})
}

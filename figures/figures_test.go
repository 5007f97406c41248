package figures_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/figures"
)

// missing returns the texts of the numbers that data does not hold.
func missing(data *figures.Set, text string) []string {
	var texts []string
	for _, n := range data.Missing(text, figures.StyleOf(text)) {
		texts = append(texts, n.Text)
	}
	return texts
}

func TestMissing(t *testing.T) {
	var data figures.Set
	data.Add("", json.RawMessage(`{"mean":4.166666,"share":0.237,"change":-3.25,"total":1234567,"groups":[1,234],"tiny":1.5e-05,
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
		{"On 9 January 2025.", nil}, // a date is no amount
		{"Number 12345678901234567.", nil},
		{"Number 12345678901234568.", []string{"12345678901234568"}},
		{"Pier 17 in Q3 of 2024", nil},
		{"Pier 18", []string{"18"}},
		{"\u0664.\u0661\u0667 and \u0661\u0668", []string{"18"}}, // Arabic digits: 4.17 and 18
		{"½ of 5 m²", []string{"½", "5"}},
		{"USD5000", []string{"5000"}},
		{"0.000015", nil},
		{"1,234 is 1 and 234, not 1234.", []string{"1,234", "1234"}}, // an array is no number
	} {
		if diff := cmp.Diff(tt.want, missing(&data, tt.text)); diff != "" {
			t.Errorf("%s: missing (-want +got)\n%s", tt.text, diff)
		}
	}
}

// People and models write numbers in many forms: each in both directions, right and wrong.
func TestMissingReadsForms(t *testing.T) {
	const stands, wrong = true, false
	for _, tt := range []struct {
		data, text string
		want       bool // the numbers of the text stand in the data
	}{
		// Words and letters for powers of ten.
		{`{"loss":20}`, "Miami lost 20 million dollars.", wrong},
		{`{"loss":20}`, "Miami lost 20bn.", wrong},
		{`{"loss":20}`, "Miami lost 20k.", wrong},
		{`{"loss":20}`, "Miami lost 20M, or 20 K.", wrong},
		{`{"loss":20}`, "Miami lost $20 m.", wrong},
		{`{"loss":20}`, "It lost EUR20m.", wrong},
		{`{"loss":20}`, "It lost USD 20 mm.", wrong},
		{`{"loss":20}`, "It lost 20 kEUR.", wrong},
		{`{"loss":20}`, "It lost 20 T€.", wrong},
		{`{"loss":20}`, "It lost 20-million.", wrong},
		{`{"loss":20}`, "It lost 20 (million).", wrong},
		{`{"loss":20}`, "It lost **20** million.", wrong},
		{`{"loss":20}`, "It lost 20 *million*.", wrong},
		{`{"loss":20}`, "It lost 20MM.", wrong},
		{`{"loss":20}`, "It lost 20 Mio. Euro, 20 Mrd. Euro, 20 Tsd.", wrong},
		{`{"loss":20}`, "It lost 20 lakh.", wrong},
		{`{"loss":20}`, "损失20万元", wrong},
		{`{"loss":20}`, "20 млн", wrong},
		{`{"a":20,"b":30000000}`, "It lost 20 to 30 million.", wrong},
		{`{"a":20,"b":30000000}`, "It lost $20–$30m.", wrong},
		{`{"a":20000000,"b":30000000}`, "It lost 20–30 million, between $20 and $30 million.", stands},
		{`{"x":20000}`, "Miami lost 20 thousand, 20k, 20 K, 20 kEUR, EUR 20k, 20 Tsd. Euro, 20 TEUR, 20 mila, 20 mille.", stands},
		{`{"x":1234567}`, "1.2 million, 1.23m, $1.2 M, 1,235k, 1.2 Mio., 1,2 Mio. Euro, 1,2 MEUR, 1.2 million-dollar", stands},
		{`{"x":3000000}`, "EUR 3 Mio.", stands},
		{`{"x":3012345}`, "EUR 3 Mio.", stands},
		{`{"x":3400000}`, "EUR 3 Mio.", wrong},
		{`{"x":2e9}`, "$2bn, 2 Mrd. Euro, 2 billion, 2B, $2 b, 2000 million, 2 milliards d'euros", stands},
		{`{"x":2e9}`, "Son 2 mil millones de euros por el puerto, 2.000 millones.", stands},
		{`{"x":2e9}`, "Es sind 2 Billionen Euro.", wrong},
		{`{"x":2e12}`, "Es sind 2 Billionen Euro.", stands},
		{`{"x":2e12}`, "It is $2 trillion, $2tn or $2T.", stands},
		{`{"x":200000}`, "20万, 2 lakh, 2 hundred thousand", stands},
		{`{"revenue_millions":20}`, "It made 20 million, 20M, $20m, 20,000,000.", stands},
		{`{"revenueMillions":{"Miami":20}}`, "Miami made 20 million.", stands},
		{`{"revenue_millions":20}`, "It made 20 billion.", wrong},
		{`{"revenue (k€)":20}`, "It made 20 k€.", stands},
		{`{"revenue_keur":20,"loss":7}`, "It made 20k", stands},
		{`{"revenue_keur":20,"loss":7}`, "It lost 7k", wrong},
		{`{"note":"20 million dollars"}`, "It made 20 million.", stands},
		{`{"note":"20 million dollars"}`, "It made 20.", wrong},
		{`{"length_m":20}`, "It is 20m long, and 20 m wide.", stands},
		{`{"length":20}`, "It is 20 m long, of 20 m², 20 mm, 20 km, 20 kg, 20 MW, 20 t.", stands},
		{`{"gate":"2B"}`, "Gate 2B", stands},
		{`{"bytes":1612345}`, "1.6 MB, 1,612 kB, 1612 KB, 0.0016 GB", stands},
		{`{"bytes":1612345}`, "1.7 MB", wrong},
		{`{"x":20}`, "20 MB", stands},
		{`{"x":20}`, "20 000 kB", wrong},

		// Percent.
		{`{"share":20}`, "Miami has 20 % of all.", stands},
		{`{"loss":0.2}`, "Miami has 20 per day.", wrong},
		{`{"loss":20}`, "Miami has 20 per day.", stands},
		{`{"share":0.2}`, "20 per cent, 20 percent, 20 Prozent, 20 pour cent, 20 por ciento, 20 %, 20-percent, %20", stands},
		{`{"share":0.2}`, "It costs 20 cents.", wrong},
		{`{"a":0.2,"b":0.3}`, "20–30 %, between 20 and 30 percent", stands},
		{`{"share":0.2}`, "2%", wrong},
		{`{"share":0.2345}`, "23.5 %, 23.45%, 23%", stands},
		{`{"share":0.2345}`, "24 %", wrong},

		// Exponents.
		{`{"a":1,"b":6}`, "Miami lost 1e6 dollars.", wrong},
		{`{"a":1,"b":6}`, "Miami lost USD1e6, 1E+06", wrong},
		{`{"a":1.2,"b":10,"c":6}`, "1.2 × 10^6", wrong},
		{`{"a":2,"b":10}`, "2·10⁶", wrong},
		{`{"a":10,"b":6}`, "10^6", wrong},
		{`{"x":20,"y":6}`, "Miami lost 20^6 dollars", wrong},
		{`{"x":20}`, "20²", wrong},
		{`{"x":2}`, "2½", wrong},
		{`{"x":1000000}`, "1e6, 1E+06, 1.0e6", stands},
		{`{"x":0.000015}`, "1.5e-5, 0.000015", stands},
		{`{"x":1}`, "1e99999999999", wrong},
		{`{"x":"Size 1½"}`, "Size 1½", stands},

		// Rounding that words or signs show.
		{`{"x":1950000}`, "About 2 million, ~2m, rund 2 Millionen", stands},
		{`{"x":1950000}`, "About 3 million", wrong},
		{`{"x":1950000}`, "2 million", wrong},
		{`{"x":0.004}`, "Less than 1 %, under 1%, <1 %, (< 1%), weniger als 1 %, at most 1 %", stands},
		{`{"x":0.002}`, "Nearly 1 %", wrong},
		{`{"x":4}`, "Less than 1 %", wrong},
		{`{"x":134}`, "There were 100+ orders: a > 100, ≥ 130 and 130+.", stands},
		{`{"x":90}`, "100+ orders", wrong},
		{`{"x":90}`, "Orders ≥ 100", wrong},
		{`{"x":134}`, "> 100 orders", wrong}, // a quotation of Markdown
		{`{"x":134}`, "<b>100</b> orders", wrong},
		{`{"x":12}`, "12 B2B customers", stands},
		{`{"x":12}`, "12 B customers", wrong},
		{`{"x":-0.052}`, "Growth was –5.2 %.", stands},
		{`{"x":-0.052}`, "Growth was 5.2 %.", wrong},
		{`{"x":4.5}`, "Rated 4.5/5, 4.5/10 and 4.5 out of 5.", stands},
		{`{"x":4.5}`, "Rated 3.5/5", wrong},
		{`{"x":4.5}`, "4.5 of 5", wrong},

		{`{"p":0.032}`, "p < 0.05, p<0.05, p ≤ 0.04", stands},
		{`{"p":0.062}`, "p < 0.05", wrong},
		{`{"x":5.6}`, "5.6 per 1,000 inhabitants and per 100,000, 5.6 l/100 km", stands},
		{`{"x":5.6}`, "Es sind 5,6 je 100.000 und 5,6 pro 1.000 Einwohner.", stands},
		{`{"x":5.6}`, "1,000 inhabitants", wrong},
		{`{"x":5.6}`, "5.6 per 1,200 inhabitants", wrong},
		{`{"x":12000000}`, "₹1.2 cr, Rs 1.2 Cr, Rs. 12 million, R$ 12 mi", stands},
		{`{"x":1.2}`, "₹1.2 crore", wrong},
		{`{"x":1200000}`, "Omsetningen var 1,2 mill. kr; 1,2 milj. euroa; 1,2 millió Ft; 1,2 εκατ.", stands},
		{`{"x":1200}`, "Liikevaihto oli 1,2 milj. euroa.", wrong},

		// Numbers in several parts are not read.
		{`{"x":123456789}`, "売上は1億2345万6789円、1亿2345万, 12 crore 34 lakh", stands},
		{`{"x":123450000}`, "2億円", wrong},
		{`{"x":20,"y":3000}`, "20, 3 thousand", stands},
		{`{"x":20000000,"y":3000}`, "20 million, 4 thousand", wrong},

		// Years.
		{`{"season":"2022-23","n":3}`, "It was 3 in the season 2022–23, of 2019–2023, and in 2024's third quarter.", stands},
		{`{"n":3}`, "It was 2024–30 and 3.", wrong},
		{`{"n":3}`, "It was 1200–1300.", wrong},

		// Dates of other languages.
		{`{"x":80}`, "El 14 de marzo de 2024 y el 3 de abril hubo 80.", stands},
		{`{"x":80}`, "Le 14 mars 2024, il y avait 80 ; op 14 maart 2024; 14 marca 2024; 14 марта 2024; em 14 de março.", stands},
		{`{"x":80}`, "Il 14 marzo 2024 ci sono stati 81 ordini.", wrong},
		{`{"x":80}`, "Hubo 14 pedidos en marzo.", wrong},
		{`{"x":80}`, "In the first 3 months it was 80, in den ersten 3 Monaten auch.", stands},

		// Groups of digits.
		{`{"a":12,"b":345}`, "Miami lost 12 345 dollars.", wrong},
		{`{"a":12,"b":345}`, "12 345", wrong},
		{`{"a":12,"b":345}`, "12 345", wrong},
		{`{"a":12,"b":345}`, "12 345", wrong},
		{`{"a":12,"b":345}`, "12'345", wrong},
		{`{"a":12,"b":345}`, "12’345", wrong},
		{`{"a":12,"b":345}`, "EUR12 345", wrong},
		{`{"a":12,"b":345}`, "12_345", wrong},
		{`{"a":12,"b":345}`, "12\u2018345", wrong},
		{`{"a":12,"b":345}`, "12\u200b345", wrong},
		{`{"a":12,"b":0}`, "12 000", wrong},
		{`{"a":12,"b":0}`, "12, 000", wrong},
		{`{"a":12,"b":0}`, "12-000", wrong},
		{`{"a":12,"b":0}`, "12, 0 or 0.000", stands},
		{`{"a":12,"b":345}`, "12, 345 and 12; 345", stands},
		{`{"a":1,"b":234567}`, "1 234 567", wrong},
		{`{"x":12345}`, "12 345, 12 345, 12 345, 12'345, 12’345, 12,345, CHF12'345, 12_345", stands},
		{`{"x":1234567.5}`, "1 234 567,5; 1'234'567.5; 1,234,567.5; 1.234.567,5; 12,34,567.5", stands},
		{`{"x":1234567}`, "12,34,567 or 1٬234٬567", stands},
		{`{"when":"2025-01-15T10:30:00Z","n":120,"s":"SH-211"}`, "In Q1 2025 120 were late; on 2025-01-15 120, at 10:30 120, and of SH-211 120.", stands},
		{`{"a":10000,"b":20000}`, "10 000-20 000, 10\u202f000\u2013\u202f20\u202f000", stands},
		{`{"x":1000}`, "Miami lost 1,000.50.", wrong},
		{`{"x":5}`, "It is .5.", wrong},
		{`{"x":0.5}`, "It is .5, 0.5, 0,5 or 50%.", stands},
		{`{"x":-0.5}`, "It is -.5.", stands},
		{`{"x":1234}`, "１，２３４", stands},

		// One separator before three digits.
		{`{"x":1.234}`, "Miami lost 1,234.", wrong},
		{`{"x":1234}`, "Miami lost 1.234 dollars.", wrong},
		{`{"x":1.234}`, "Miami lost 1.234.", stands},
		{`{"x":1234}`, "Miami lost 1,234 dollars.", stands},
		{`{"x":1234}`, "Der Verlust liegt bei 1.234 Euro.", stands},
		{`{"x":1.234}`, "Der Verlust liegt bei 1.234 Euro.", wrong},
		{`{"x":1.234}`, "Der Mittelwert ist 1,234.", stands},
		{`{"x":1234}`, "Der Mittelwert ist 1,234.", wrong},
		{`{"x":1234}`, "La perte est de 1.234 euros pour le port.", stands},
		{`{"x":1234}`, "La perte est de 1 234 euros.", stands},
		{`{"x":1234,"y":4.17}`, "1.234 und 4,17", stands},
		{`{"x":1.234,"y":4.17}`, "1,234 und 4,17", stands},
		{`{"x":1.234,"y":1000}`, "Im Mittel 1.234 von CHF 1'000", stands},
		{`{"x":0.652}`, "Der Wert ist 0.652, also 0,65.", stands},
		{`{"x":"12.345 Stück"}`, "Es sind 12.345 Stück.", stands},
		{`{"x":"12.345"}`, "12.345, about 12.3", stands},
		{`{"x":"12.345"}`, "12,345 and 12345", wrong},
		{`{"x":"$1,234"}`, "1,234 or 1234", stands},
		{`{"x":"$1,234"}`, "1.234", wrong},

		// Dates, ordinals, versions and identifiers.
		{`{"t":"2025-01-15T10:30:00Z"}`, "15 January 2025, January 15th, 15.01.2025, 15.1.2025, 01/15/2025, 2025/01/15, 10:30", stands},
		{`{"t":"2025-01-08"}`, "Am 08.01. kam es, ; 2025.01.08", stands},
		{`{"t":"2025-01-15"}`, "On 16 January 2025", stands}, // dates claim no amount
		{`{"t":"2025-01-15"}`, "It had 15 delays", wrong},
		{`{"a":4,"b":10}`, "The mean is 4.10.", wrong},
		{`{"q":"2024-Q3"}`, "the 3rd quarter of 2024, Q3/2024", stands},
		{`{"q":"2024-Q3"}`, "the 2nd quarter", stands},
		{`{"version":"1.2.3"}`, "Version 1.2.3, v1.2.3", stands},
		{`{"version":"1.2.3"}`, "Version 3.2.1", stands},
		{`{"p":"USMIA-77","s":"SH-11141","f":"A320neo"}`, "USMIA-77, SH-11141 and an A320neo", stands},
		{`{"s":"SH-11141"}`, "SH-11142", wrong},
		{`{"id":"a53e8f12"}`, "a53e8f12", stands},
		{`{"sales_2024":7,"top_10":8}`, "In 2024 it was 7 of the top 10", stands},
		{`{"x":20}`, "Miami lost 20·10", wrong},
		{`{"loss":-20}`, "It lost 20; the change is -20, −20.", stands},
		{`{"months":6}`, "The first 12 months are free.", wrong},
		{`{"x":4}`, "4 out of 10 stores", wrong},
		{`{"x":5}`, "En marzo del 2024 fueron 5.", stands},
		{`{"rows":0}`, "Less than 50 % of them", wrong},
		{`{"x":0.002}`, "Less than 90 % of them", wrong},
	} {
		var data figures.Set
		data.Add("", json.RawMessage(tt.data))
		if got := missing(&data, tt.text); (len(got) == 0) != tt.want {
			t.Errorf("%s: %s: missing %q", tt.data, tt.text, got)
		}
	}
}

// A text that shows no style has that of the request.
func TestStyleOf(t *testing.T) {
	for _, tt := range []struct {
		texts []string
		want  figures.Style
	}{
		{nil, figures.PointDecimal},
		{[]string{"Umsatz: 1.234 EUR"}, figures.PointDecimal},
		{[]string{"Umsatz: 1.234 EUR", "Wie hoch ist der Umsatz?"}, figures.CommaDecimal},
		{[]string{"Revenue: 1,234", "What is the revenue?"}, figures.PointDecimal},
		{[]string{"The mean of the delays is 4,17"}, figures.CommaDecimal},
		{[]string{"Der Mittelwert ist 4.17", "Wie viele?"}, figures.PointDecimal},
		{[]string{"1,234,567", "Wie hoch ist der Umsatz?"}, figures.PointDecimal},
		{[]string{"1.234.567"}, figures.CommaDecimal},
		{[]string{"Der Umsatz: 1'234.5"}, figures.PointDecimal},
		{[]string{"Выручка 1.234"}, figures.CommaDecimal},
		{[]string{"売上は1,234"}, figures.PointDecimal},
	} {
		if got := figures.StyleOf(tt.texts...); got != tt.want {
			t.Errorf("%q: style %d, want %d", tt.texts, got, tt.want)
		}
	}
}

func TestAddReadsScalesFromNames(t *testing.T) {
	var data figures.Set
	data.Add("revenue_mio", 20.5)
	data.Add("revenue_mio", "31.5")
	data.Add("ships", int64(7))
	data.Add("2024", nil)
	for text, want := range map[string][]string{
		"In 2024 Miami made 20.5 million, Houston 31.5M.": nil,
		"Miami has 7 ships.":                              nil,
		"Houston has 7 million":                           {"7 million"},
	} {
		if diff := cmp.Diff(want, missing(&data, text)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", text, diff)
		}
	}
}

func TestMissingNamesTheWrongOnes(t *testing.T) {
	var data figures.Set
	data.Add("", []int{20, 30})
	text := "Of 20, 30 million were late, and 30 k, but 20% and 31."
	if diff := cmp.Diff([]string{"30 million", "30 k", "31"}, missing(&data, text)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := missing(&figures.Set{}, "7"); len(got) != 1 {
		t.Errorf("an empty set holds 7: %q", got)
	}
}

func TestFind(t *testing.T) {
	for _, tt := range []struct {
		text  string
		style figures.Style
		value float64 // NaN: it is not one number
	}{
		{"-1,234.5", figures.PointDecimal, -1234.5},
		{"1.234,5", figures.PointDecimal, 1234.5},
		{"1,234", figures.PointDecimal, 1234},
		{"1,234", figures.CommaDecimal, 1.234},
		{"12 %", figures.PointDecimal, 12},
		{"$1.2 million", figures.PointDecimal, 1.2e6},
		{"1,2 Mio. EUR", figures.CommaDecimal, 1.2e6},
		{"\u2212.5", figures.PointDecimal, -0.5},
		{"1.5e-3", figures.PointDecimal, 0.0015},
		{"", figures.PointDecimal, math.NaN()},
		{"none", figures.PointDecimal, math.NaN()},
		{"2½", figures.PointDecimal, math.NaN()},
		{"1.2.3", figures.PointDecimal, math.NaN()},
		{"17 of 20", figures.PointDecimal, math.NaN()},
	} {
		all := figures.Find(tt.text, tt.style)
		one := len(all) == 1 && !math.IsNaN(all[0].Value)
		if want := !math.IsNaN(tt.value); one != want || one && math.Abs(all[0].Value-tt.value) > 1e-9 {
			t.Errorf("%q: %v, want %v", tt.text, all, tt.value)
		}
	}
}

func FuzzMissing(f *testing.F) {
	f.Add("1,234.50 of -3 (12.5 %), ½, 2025-01-08", `{"a":[1,2.5e300],"b":"1'000"}`)
	f.Add("20 to 30 million, 1.2 \u00d7 10\u2076, .5 and $3m, 12 345 kEUR, 20\u4e07", `{"revenue_millions":[1],"unit":"k"}`)
	f.Fuzz(func(t *testing.T, text, data string) {
		var other figures.Set
		other.Add("", json.RawMessage(data))
		missing(&other, text)
		var own figures.Set
		own.Add("", text)
		if len(text) > 0 && strings.Trim(text, "-0123456789.eE") == "" {
			return // a number in the form of Go may be another one in a text
		}
		for _, n := range own.Missing(text, figures.StyleOf(text)) {
			if math.Abs(n.Value) < 1e300 {
				t.Errorf("%q has %q, which is reported as missing", text, n.Text)
			}
		}
	})
}

package figures_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/figures"
)

// What claims no amount is not checked, and amounts next to it are.
func TestOnlyAmountsAreChecked(t *testing.T) {
	for _, tt := range []struct {
		german bool
		text   string
		want   []string
	}{
		{false, "It was on 31 March 2026, March 31st, 2026, Mar 31, the 31st of March and 2026-03-31.", nil},
		{false, "Between 8 and 15 January, from January 8 to 15, on March 3, 4 and 5, and 1 to 31 May 2026.", nil},
		{false, "From 3/31/2026 to 31/03/2026, 2026/03/31, 03/2026, on 3/31, in 2024/25 and 2024-2026.", nil},
		{false, "At 14:30, 14:30:05, 2 pm, 2pm, 2:30 p.m., between 2 and 3 pm and at 2026-03-31T14:30:00.123+02:00.", nil},
		{false, "In 2026, since 2019, from 2024 to 2026, between 2024 and 2026, in 2023, 2024 and 2025, Q1 2026, the first quarter of 2026 (2025).", nil},
		{false, "The 1st, 2nd, 3rd and 21st in the 1990s.", nil},
		{false, "Version 1.2.3, v2, v1.10.0-rc.2, version 3.1, release 4 and IP 10.0.0.1.", nil},
		{false, "WO-10229, A320neo, X12, 4711AB, 10229-A, ISBN 978-3-16-148410-0, order_77, SH-11141/2, Q3/2024, ISO 9001, RFC 7231.", nil},
		{false, "See § 12, §§ 12 and 13, Art. 5, No. 7, Section 3.2, pages 3–5, Table 3, step 2, week 12 and #99.", nil},
		{false, "1. one\n2. two\n   3) three\n**4.** four\n- five\n## 2.1 Six\n(7) seven\n12. twelve", nil},
		{false, "| 1 | Rosa |\n| 2 | Pekka |", nil},
		{false, "The order “4711”, `LIMIT 100` and \"Apollo 11\" [12] [1, 2].", nil},
		{false, "The top 10 of the last 12 months and the past 30 days.", nil},
		{false, "See https://example.com/2026/03/4711?x=99.", nil},
		{true, "Am 31. März 2026, am 31.3.2026, am 31.03., vom 8. bis 15. Januar, am 8.1., 31.3.26 und Mitte 2025.", nil},
		{true, "Um 14:30 Uhr, 14.30 Uhr, um 14 Uhr, zwischen 8 und 17 Uhr.", nil},
		{true, "Im 3. Quartal, der 2. Platz, KW 12, Seite 7, Abb. 3, Nr. 7, § 6 Abs. 2, Ziff. 4.", nil},
		{true, "Im Jahr 2026, seit 2019, von 2024 bis 2026, zwischen 2024 und 2026, ab März 2025.", nil},

		{false, "In room 12, building 7, gate 3 and zip code 90210, port 8080 and HTTP 404. See above.[^1]", nil},
		{false, "Stock level: 4711. Rows: 77. Sales volume 4712.", []string{"4711", "77", "4712"}},
		{false, "It has 31 orders on 31 March 2026, 4711 in 2026 and 77 % at 14:30.", []string{"31", "4711", "77 %"}},
		{false, "Week 12 had 4711 hours, and $99 for No. 7.", []string{"4711", "99"}},
		{false, "The total is 4711.", []string{"4711"}},
		{false, "4711 orders; 42.5 kg; 20kg, 3x, 5-axis, USD5000 and EUR-5000.", []string{"4711", "42.5", "20", "3", "5", "5000", "5000"}},
		{false, "-4711 and 2,026 and 2026.5.", []string{"-4711", "2,026", "2026.5"}},
		{false, "The list has 10-20 orders, 45/60 of all, 3:1.", []string{"10", "20", "45", "60", "3", "1"}},
		{false, "March 37 was it.", []string{"37"}},
		{false, "He said “there were 4711 orders in all of the five ports, and many more at the sea”.", []string{"4711"}},
		{true, "Es sind 4711. Danach 31 Aufträge, 4.711,5 Stunden und 12 %.", []string{"4711", "31", "4.711,5", "12 %"}},
		{true, "Der Umsatz liegt bei 3. Mehr nicht.", []string{"3"}},
	} {
		l := figures.English
		if tt.german {
			l = figures.German
		}
		out := figures.NewText(figures.Source{Language: l, Data: []any{"q"}}, nil)
		out.Write(tt.text)
		got := out.Close(t.Context()).Unproved
		for i, text := range got {
			got[i] = strings.TrimPrefix(text, "-")
		}
		for i, text := range tt.want {
			tt.want[i] = strings.TrimPrefix(text, "-")
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s\n%s", tt.text, diff)
		}
	}
}

// generations is how many answers the tests below generate: QED_GENERATIONS, or 1,000.
func generations(t *testing.T) int {
	n, err := strconv.Atoi(os.Getenv("QED_GENERATIONS"))
	if err != nil {
		return 1000
	}
	t.Logf("%d answers", n)
	return n
}

// A true answer that a model typed by itself has no unproved number.
func TestTrueAnswersAreProved(t *testing.T) {
	for seed := range uint64(generations(t)) {
		random := rand.New(rand.NewPCG(seed, 35))
		l := []figures.Language{figures.English, figures.German}[seed%2]
		rows := ordersOf(random, 1+random.IntN(20))
		question := "Which orders were placed before 2027?"
		var text strings.Builder
		for range 1 + random.IntN(6) {
			fmt.Fprintf(&text, "%s\n", trueSentence(random, l, rows))
		}
		out := figures.NewText(figures.Source{Language: l, Tables: []figures.Table{{Rows: rows}}, Data: []any{question}}, nil)
		out.Write(text.String())
		if got := out.Close(t.Context()); got.Unproved != nil {
			t.Errorf("seed %d: not proved: %q in\n%s", seed, got.Unproved, text.String())
		}
	}
}

// ordersOf returns orders with identifiers, dates, shares and amounts of all sizes.
func ordersOf(random *rand.Rand, n int) qed.Table {
	rows := qed.Table{Columns: []qed.Column{{Name: "order_id"}, {Name: "code", Type: "VARCHAR"}, {Name: "placed", Type: "TIMESTAMP"},
		{Name: "share"}, {Name: "amount", Type: "DECIMAL"}, {Name: "count"}}}
	day := time.Date(2024, 1, 1, 8, 0, 0, 0, time.UTC)
	for range n {
		err := rows.Append(10000+random.IntN(90000), fmt.Sprintf("WO-%d", 1000+random.IntN(90000)),
			day.AddDate(0, 0, random.IntN(1000)).Add(time.Duration(random.IntN(600))*time.Minute).Format(time.RFC3339),
			float64(random.IntN(10000))/10000, strconv.FormatFloat(random.Float64()*math.Pow10(2+random.IntN(6)), 'f', 2, 64),
			10+random.IntN(5000))
		if err != nil {
			panic(err)
		}
	}
	return rows
}

// trueSentence returns a sentence about a row, with its numbers as people write them.
func trueSentence(random *rand.Rand, l figures.Language, rows qed.Table) string {
	row := rows.Rows[random.IntN(len(rows.Rows))]
	at, _ := time.Parse(time.RFC3339, row[2].(string))
	amount, _ := strconv.ParseFloat(row[4].(string), 64)
	number := func(v float64, decimals int) string {
		text := strconv.FormatFloat(v, 'f', decimals, 64)
		whole, fraction, _ := strings.Cut(text, ".")
		for i := len(whole) - 3; i > 0; i -= 3 {
			whole = whole[:i] + "," + whole[i:]
		}
		if text = whole; fraction != "" {
			text += "." + fraction
		}
		if l == figures.German {
			text = strings.NewReplacer(",", ".", ".", ",").Replace(text)
		}
		return text
	}
	months := strings.Fields("Januar Februar März April Mai Juni Juli August September Oktober November Dezember")
	german := fmt.Sprintf("%d. %s %d", at.Day(), months[at.Month()-1], at.Year())
	scaled, scale := amount, [2]string{"", ""}
	switch {
	case amount >= 1e6:
		scaled, scale = amount/1e6, [2]string{" million", " Mio."}
	case amount >= 1e4:
		scaled, scale = amount/1e3, [2]string{"k", " Tsd."}
	}
	english := []string{
		fmt.Sprintf("Order %d (%s) was placed on %s at %s.", row[0], row[1], at.Format("2 January 2006"), at.Format("15:04")),
		fmt.Sprintf("%s came on %s; %s units, or %s%% of all.", row[1], at.Format("January 2, 2006"), number(float64(row[5].(int64)), 0), number(row[3].(float64)*100, 1)),
		fmt.Sprintf("It cost $%s, about %s%s EUR.", number(amount, 2), number(scaled, 1), scale[0]),
		fmt.Sprintf("1. %s on %s\n2. the %s share in Q%d %d, week %d", row[1], at.Format("2006-01-02"), number(row[3].(float64), 3), 1+random.IntN(4), at.Year(), 1+random.IntN(52)),
		fmt.Sprintf("In %s %d, on the %dth, %s were in all %s rows.", at.Month(), at.Year(), 4+random.IntN(15), number(amount, 1), number(float64(len(rows.Rows)), 0)),
		fmt.Sprintf("Between %d and %d March, at %s, %s was there.", 1+random.IntN(8), 9+random.IntN(22), at.Format("3:04 pm"), row[1]),
	}
	deutsch := []string{
		fmt.Sprintf("Der Auftrag %d (%s) kam am %s um %s Uhr.", row[0], row[1], german, at.Format("15:04")),
		fmt.Sprintf("%s kam am %s; %s Stück oder %s %% von allen.", row[1], at.Format("02.01.2006"), number(float64(row[5].(int64)), 0), number(row[3].(float64)*100, 1)),
		fmt.Sprintf("Er kostet %s €, also rund %s%s Euro.", number(amount, 2), number(scaled, 1), scale[1]),
		fmt.Sprintf("1. %s am %s\n2. Anteil von %s im %d. Quartal %d, KW %d", row[1], at.Format("2.1.2006"), number(row[3].(float64), 3), 1+random.IntN(4), at.Year(), 1+random.IntN(52)),
		fmt.Sprintf("Im %s %d, am %d., sind es %s in allen %s Zeilen.", months[at.Month()-1], at.Year(), 4+random.IntN(15), number(amount, 1), number(float64(len(rows.Rows)), 0)),
		fmt.Sprintf("Vom %d. bis %d. März, um %s Uhr, war %s da.", 1+random.IntN(8), 9+random.IntN(22), at.Format("15.04"), row[1]),
	}
	if l == figures.German {
		return deutsch[random.IntN(len(deutsch))]
	}
	return english[random.IntN(len(english))]
}

// After many rows, at most 2 % of the numbers that a model makes up pass.
func TestManyRowsDoNotProveEverything(t *testing.T) {
	if testing.Short() {
		t.Skip("checks thousands of numbers against tables of 1,000 rows")
	}
	passed, all := 0, 0
	for seed := range uint64(generations(t) / 20) {
		random := rand.New(rand.NewPCG(seed, 36))
		rows := ordersOf(random, 50+random.IntN(950))
		var made []string
		for range 200 {
			var n string
			switch random.IntN(5) {
			case 0:
				n = strconv.Itoa(10 + random.IntN(90))
			case 1:
				n = strconv.Itoa(100 + random.IntN(9900))
			case 2:
				n = strconv.FormatFloat(random.Float64()*math.Pow10(2+random.IntN(6)), 'f', 1+random.IntN(2), 64)
			case 3:
				n = strconv.FormatFloat(random.Float64()*100, 'f', 1, 64) + " %"
			case 4:
				n = strconv.FormatFloat(1+random.Float64()*9, 'f', 1, 64) + " million"
			}
			made = append(made, n)
		}
		out := figures.NewText(figures.Source{Tables: []figures.Table{{Rows: rows}}, Data: []any{"How many?"}}, nil)
		out.Write("So it is " + strings.Join(made, "; so it is ") + ".")
		all += len(made)
		passed += len(made) - len(out.Close(t.Context()).Unproved)
	}
	t.Logf("%d of %d pass", passed, all)
	if passed*50 > all {
		t.Errorf("%d of %d numbers that are made up pass", passed, all)
	}
}

// Cells prove numbers in full, and short ones only in small tables.
func TestWhenCellsProve(t *testing.T) {
	few := table(t, "hours,cost", []any{37, 4711.256}, []any{41, 1234567})
	many := table(t, "hours,cost")
	for i := range 500 {
		if err := many.Append(i, 100000.125+float64(i)*997); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		rows qed.Table
		text string
		want []string
	}{
		{few, "It is 37 of 41, 4711.26, 4711, 1.2 million.", nil},
		{few, "It is 38, 4712, 1.3 million.", []string{"38", "4712", "1.3 million"}},
		{many, "It is 38 or 451.", []string{"38", "451"}},                         // in the data, as half of all short numbers
		{many, "It is 100,000.125 or 100,000.1 or 101,000.", []string{"101,000"}}, // long numbers are no chance
		{many, "It is 0.2 million or 20 %.", []string{"0.2 million", "20 %"}},     // rounding matches too much
		{many, "In all 500 rows, more than 37.", []string{"500"}},                 // the question has 37
		{many, "It is 7.", nil}, // one digit proves nothing, and is not listed
	} {
		out := figures.NewText(figures.Source{Tables: []figures.Table{{Rows: tt.rows}}, Data: []any{"more than 37 hours"}}, nil)
		out.Write(tt.text)
		want := tt.want
		if got := out.Close(t.Context()); cmp.Diff(want, got.Unproved) != "" {
			t.Errorf("%s: %q, want %q", tt.text, got.Unproved, want)
		}
	}
}

// The zeros at the end of a number need not be digits of the data where words before it
// say that it is rounded, in the direction that they say.
func TestHedgedNumbers(t *testing.T) {
	rows := qed.Table{Columns: []qed.Column{{Name: "orders"}, {Name: "revenue"}}}
	if err := rows.Append(1204, 128934.25); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		l    figures.Language
		text string
		want []string
	}{
		{figures.English, "About 1,200 orders and ~129,000, approx. $129,000, or around **128,900**.", nil},
		{figures.English, "Over 1,200 orders, more than 128,000, and nearly 129,000.", nil},
		{figures.German, "Rund 1.200 Aufträge, etwa 129.000 €, knapp 129.000 und mehr als 128.000.", nil},
		{figures.English, "It has 1,200 orders and 129,000.", []string{"1,200", "129,000"}},
		{figures.English, "More than 1,000 orders, nearly 2,000, up to 129,000; at least 1,200 and at most 1,210.", nil},
		{figures.English, "Just over 128.9k, slightly under 129k, close to 129,000, or fewer than 1.3k orders.", nil},
		{figures.German, "Über 1.000 Aufträge, mindestens 1.200, höchstens 1.300, bis zu 129.000, nahezu 0,13 Mio.", nil},
		{figures.English, "No more than 1,300 orders, not less than 1,200, no fewer than 1,000.", nil},
		{figures.English, "No more than 1,000 orders and not less than 1,300.", []string{"1,000", "1,300"}},
		{figures.German, "Nicht mehr als 1.300 Aufträge, nicht weniger als 1.200.", nil},
		{figures.English, "More than 2,000 orders, at least 1,300, up to 1,200, under 128.9k.", []string{"2,000", "1,300", "1,200"}},
		{figures.English, "About 1,300 orders, around 127,000, over 129,000, and nearly 128,000.", []string{"1,300", "127,000", "129,000", "128,000"}},
	} {
		out := figures.NewText(figures.Source{Language: tt.l, Tables: []figures.Table{{Rows: rows}}}, nil)
		out.Write(tt.text)
		if diff := cmp.Diff(tt.want, out.Close(t.Context()).Unproved); diff != "" {
			t.Errorf("%s\n%s", tt.text, diff)
		}
	}
	for text, want := range map[string][]string{
		"Over 23 %, more than 20 percent, nearly 24 %, just under 24 percent, almost 30 %": nil,
		"Über 23 %, mehr als 20 Prozent und knapp 24 %":                                    nil,
		"Over 24 %": nil, // as people round 23.74
		"Over 25 %, more than 30 %, nearly 23 %, under 20 %": {"25 %", "30 %", "23 %", "20 %"},
	} {
		l := figures.English
		if strings.HasPrefix(text, "Ü") {
			l = figures.German
		}
		out := figures.NewText(figures.Source{Language: l, Data: []any{json.RawMessage(`{"share": 0.2374}`)}}, nil)
		out.Write(text)
		if diff := cmp.Diff(want, out.Close(t.Context()).Unproved); diff != "" {
			t.Errorf("%s\n%s", text, diff)
		}
	}
	out := figures.NewText(figures.Source{Tables: []figures.Table{{Rows: rows}}}, nil)
	out.Write("The result: -{r1.orders}.\n-{r1.orders} orders")
	if diff := cmp.Diff([]string{"-1,204"}, out.Close(t.Context()).Unproved); diff != "" {
		t.Errorf("a minus sign before a reference\n%s", diff)
	}
}

// A clause that says that something rose is not about a negative number. One that has a
// word for the other direction too, or no word, may be.
func TestDirection(t *testing.T) {
	for text, want := range map[string][]string{
		"Revenue fell by 7.3 %.": nil, "A change of 7.3 % was seen.": nil, "Der Umsatz sank um 7.3 %.": nil, "Growth fell by 7.3 %.": nil,
		"Growth was negative, 7.3 % less.": nil, "Costs did not grow, 7.3 % were saved.": nil, "Sales rose. The margin is off by 7.3 %.": nil,
		"Revenue grew by 7.3 %.": {"7.3 %"}, "An increase of 7.3 percent was seen.": {"7.3 percent"}, "Growth: 7.3 %": {"7.3 %"},
		"Der Umsatz ist um 7.3 % gestiegen.": {"7.3 %"}, "Revenue rose 5.5 %.": nil,
		"The share of an enterprise of that size is 7.3 %.": nil, "Growth of -7.3 % was seen.": nil,
	} {
		out := figures.NewText(figures.Source{Data: []any{json.RawMessage(`{"growth": -0.073, "other": 0.055}`)}}, nil)
		out.Write(text)
		if diff := cmp.Diff(want, out.Close(t.Context()).Unproved); diff != "" {
			t.Errorf("%s\n%s", text, diff)
		}
	}
}

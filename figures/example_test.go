package figures_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/figures"
)

// A model wrote an answer with references, one of which is wrong, and a number of
// its own.
func Example() {
	rows := qed.Table{Columns: []qed.Column{{Name: "name"}, {Name: "hours"}}}
	rows.Append("Rosa Ferreira", 37.75)
	rows.Append("Pekka Åkesson", 1028.5)

	out := figures.NewText(figures.Source{Language: figures.German, Tables: []figures.Table{{Rows: rows}}}, nil)
	out.Write("{r2.name} mit {r2.hours} Stunden, {share r2.hours of sum hour} von allen an 7 Tagen.")
	for _, u := range out.Unknown() {
		fmt.Println(u)
	}
	out.Correct(map[string]string{"share r2.hours of sum hour": "share r2.hours of sum hours"})
	result := out.Close(context.Background())
	fmt.Println(result.Text)
	fmt.Println("from", result.Figures[1].Sources, "not proved", result.Unproved)
	// Output:
	// {share r2.hours of sum hour}: there is no column "hour"; did you mean: hours
	// Pekka Åkesson mit 1.028,5 Stunden, 96,5 % von allen an 7 Tagen.
	// from [{0 2 hours}] not proved [7]
}

// A model wrote a text about data. Two of its numbers are in the data, one is
// not.
func ExampleSet_Missing() {
	var data figures.Set
	data.Add("findings", json.RawMessage(`{"total": 1234567, "late_share": 0.237}`))

	text := "Of 1.2 million shipments, 24 % were late and 31 were lost."
	for _, n := range data.Missing(text, figures.StyleOf(text)) {
		fmt.Println(n.Text)
	}
	// Output: 31
}

func ExampleFind() {
	for _, n := range figures.Find("1,234.5 hours, $1.2 million, 12 %", figures.PointDecimal) {
		fmt.Println(n.Text, n.Value, n.Percent)
	}
	// Output:
	// 1,234.5 1234.5 false
	// 1.2 million 1.2e+06 false
	// 12 % 12 true
}

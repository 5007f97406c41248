package figures_test

import (
	"encoding/json"
	"fmt"

	"github.com/qedkit/qed/figures"
)

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

func ExampleParse() {
	for _, text := range []string{"1.234,5", "$1.2 million", "12 %", "17 of 20"} {
		n, ok := figures.Parse(text, figures.PointDecimal)
		fmt.Println(ok, n.Value, n.Percent)
	}
	// Output:
	// true 1234.5 false
	// true 1.2e+06 false
	// true 12 true
	// false 0 false
}

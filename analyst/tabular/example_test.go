package tabular_test

import (
	"context"
	"fmt"
	"log"

	"github.com/qedkit/qed/analyst/tabular"
)

// A sheet of Excel is read like a CSV file. The report names the other sheets.
func ExampleOpen() {
	ctx := context.Background()
	f, err := tabular.Open(ctx, "testdata/orders.xlsx", &tabular.Options{Sheet: "Orders"})
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	for _, c := range f.Columns {
		fmt.Println(c.Name, c.Type)
	}
	err = f.Each(ctx, func(values []any) error {
		fmt.Println(values[:6]...)
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// id integer
	// day date
	// at time
	// share decimal
	// amount decimal
	// zip text
	// ok boolean
	// note text
	// 1 2026-03-04 2026-03-04 10:30:00 0 1234.5 00
	// 2 2026-03-05 2026-03-04 10:30:01 12.5 1235.5 01
	// 3 2026-03-06 2026-03-04 10:30:02 25 1236.5 02
}

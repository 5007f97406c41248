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
	f, err := tabular.Open(ctx, "orders.xlsx", &tabular.Options{Sheet: "Orders"})
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
}

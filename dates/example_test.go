package dates_test

import (
	"fmt"
	"log"
	"time"

	"github.com/qedkit/qed/dates"
)

// The query reads the second quarter, and the question is about the last one, which
// is the third.
func ExampleFacts_Check() {
	now := time.Date(2026, 11, 5, 9, 0, 0, 0, time.UTC)
	facts, err := dates.New(now, dates.Calendar{}, "How many orders came in last quarter?")
	if err != nil {
		log.Fatal(err)
	}
	checked := facts.Check("SELECT count(*) FROM orders WHERE day >= '2026-04-01' AND day < '2026-07-01'")
	for _, r := range checked {
		fmt.Printf("%s is %s; the query %s: %v\n", r.Text, r.Days(), r.Use, r.Instead)
	}
	// Output: last quarter is 2026-07-01 - 2026-09-30; the query differs: [2026-04-01 2026-07-01]
}

package finding_test

import (
	"context"
	"fmt"
	"log"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/store"
)

// A task passes rows to another by their handle. Plans and prompts have only the
// first rows.
func Example() {
	find := func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		table := &qed.Table{Columns: []qed.Column{{Name: "shipment"}}}
		for i := range 142 {
			if err := table.Append(i); err != nil {
				return qed.Answer{}, err
			}
		}
		rows, err := finding.SaveRows(ctx, table) // a tool returns this
		if err != nil {
			return qed.Answer{}, err
		}
		all, err := rows.Table(ctx) // another tool reads it
		if err != nil {
			return qed.Answer{}, err
		}
		return qed.Answer{Text: fmt.Sprintf("%d rows, of which %d are shown", len(all.Rows), len(rows.Sample.Rows))}, nil
	}
	agent := qed.Durable(qed.AgentFunc(find), &store.InMemory{}, nil)
	answer, err := qed.Ask(context.Background(), agent, qed.Turn{Thread: "t", Text: "Shipments?"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Text)
	// Output: 142 rows, of which 5 are shown
}

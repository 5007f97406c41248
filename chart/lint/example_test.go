package lint_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/chart/lint"
	"github.com/qedkit/qed/refusal"
)

func Example() {
	rows := &qed.Table{Columns: []qed.Column{{Name: "port"}, {Name: "delay"}}}
	for _, row := range [][]any{{"Miami", 4}, {"Oslo", 2}, {"Miami", 1}} {
		if err := rows.Append(row...); err != nil {
			log.Fatal(err)
		}
	}
	written := []byte(`{"mark": "bar", "encoding": {
		"x": {"field": "port", "type": "nominal"},
		"y": {"field": "dealy", "aggregate": "mean"}
	}}`)
	_, err := lint.Check(context.Background(), written, rows, lint.Options{})
	var refused *refusal.Error
	if errors.As(err, &refused) {
		for _, p := range refused.Problems {
			fmt.Println(p.Code, p.Path, p.Candidates)
		}
	}
	fmt.Println(errors.Is(err, lint.ErrUnknownField))
	// Output:
	// unknown_field /encoding/y/field [delay]
	// true
}

package router_test

import (
	"context"
	"fmt"

	"github.com/qedkit/qed"
)

// run returns the events of a turn except the last, as lines, and the answer or the
// error.
func run(ctx context.Context, a qed.Agent) (lines []string, answer qed.Answer, err error) {
	for event, e := range a.Run(ctx, qed.Turn{Text: "q", User: "u", Tenant: "c"}) {
		switch d := event.Data.(type) {
		case qed.Completed:
			answer = d.Answer
		case qed.Failed:
			err = e
		default:
			lines = append(lines, fmt.Sprintf("%s %T%v", event.Path, d, d))
		}
	}
	return lines, answer, err
}

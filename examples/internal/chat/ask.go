package chat

import (
	"context"

	"github.com/qedkit/qed"
)

// Ask shows one turn as it happens and returns its answer.
func Ask(ctx context.Context, agent qed.Agent, show *Printer, turn qed.Turn) (qed.Answer, error) {
	var answer qed.Answer
	if turn.Thread == "" || turn.Thread != show.thread {
		show.thread, show.table = turn.Thread, nil
	}
	for event, err := range agent.Run(ctx, turn) {
		if err != nil {
			show.Hush()
			return answer, err
		}
		show.Event(event)
		if done, ok := event.Data.(qed.Completed); ok {
			answer = done.Answer
		}
	}
	show.Answer(answer)
	return answer, nil
}

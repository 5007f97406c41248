package runtimetest_test

import (
	"context"
	"strings"
	"testing"

	"github.com/qedkit/qed"
)

// A text that is discarded is followed by an empty line, and the answer is written once.
func TestWriteAnswerAfterDiscard(t *testing.T) {
	agent := qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		for _, token := range []qed.Token{{Content: "I look."}, {Discard: true}, {Discard: true}, {Content: "There "}, {Content: "are"}} {
			token.Channel = qed.ChannelFinal
			qed.Emit(ctx, token)
		}
		return qed.Answer{Text: "There are 10."}, nil
	})
	var out strings.Builder
	if _, err := qed.WriteAnswer(t.Context(), &out, agent, qed.Turn{Text: "How many?"}); err != nil || out.String() != "I look.\n\nThere are 10." {
		t.Errorf("wrote %q, %v", out.String(), err)
	}
}

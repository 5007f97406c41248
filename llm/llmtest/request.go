package llmtest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
)

func streamText(ctx context.Context, text string, stream func(llm.Delta)) error {
	if stream == nil {
		return nil
	}
	for word := range strings.SplitAfterSeq(text, " ") {
		if err := ctx.Err(); err != nil {
			return contextError(err)
		}
		if word != "" {
			stream(llm.Delta{Text: word})
		}
	}
	return nil
}

// contextError returns the error of a provider for a context that is done.
func contextError(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return &llm.Error{
			Kind:     llm.ErrTimeout,
			Provider: "llmtest",
			Message:  "the context's deadline has passed",
			Err:      err,
		}
	}
	return fmt.Errorf("llmtest: %w", err)
}

func lastMessage(req *llm.Request) string {
	if len(req.Messages) == 0 {
		return "no message"
	}
	last := req.Messages[len(req.Messages)-1]
	return string(last.Role) + " " + strconv.Quote(prompt.Clip(last.Text(), 200))
}

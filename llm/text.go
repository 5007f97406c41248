package llm

import (
	"context"
	"strings"
)

// GenerateText sends prompt to m as a message of the user, and returns the text of
// the reply. For a conversation, a system message, limits or usage, call
// [Model].Generate; for an object, [GenerateObject].
//
// The error is that of m. A reply without text is an error that matches
// [ErrInvalidOutput].
func GenerateText(ctx context.Context, m Model, prompt string) (string, error) {
	resp, err := m.Generate(ctx, &Request{Messages: []Message{{Role: RoleUser, Content: prompt}}}, nil)
	if err != nil {
		return "", err
	}
	if text := resp.Message.Content; strings.TrimSpace(text) != "" {
		return text, nil
	}
	return "", &Error{Kind: ErrInvalidOutput, Message: "the reply has no text", Partial: resp}
}

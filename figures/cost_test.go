package figures_test

import (
	"context"
	"testing"

	"github.com/qedkit/qed/figures"
)

// A turn that ends while numbers are compared does not go on with it.
func TestCloseEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	data := &counted{}
	out := figures.NewText(figures.Source{Data: []any{data}}, nil)
	out.Write("It is 42.")
	if got := out.Close(ctx); got.Text != "It is 42." || got.Unproved != nil || data.read > 0 {
		t.Errorf("%+v, read %d times", got, data.read)
	}
}

// Data is read only while numbers are not found: an answer pays for no earlier message.
func TestDataIsReadWhenItIsNeeded(t *testing.T) {
	question, earlier := &counted{text: "more than 40"}, &counted{text: "1 2 3"}
	out := figures.NewText(figures.Source{Data: []any{question, earlier}}, nil)
	out.Write("It is more than 40, on 31 March 2026.")
	if got := out.Close(t.Context()); got.Unproved != nil || question.read != 1 || earlier.read != 0 {
		t.Errorf("%+v, read %d and %d times", got, question.read, earlier.read)
	}
}

// counted is data that counts how often it is read.
type counted struct {
	text string
	read int
}

func (c *counted) MarshalText() ([]byte, error) {
	c.read++
	return []byte(c.text), nil
}

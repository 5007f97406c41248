package llm

import (
	"context"
	"errors"
	"iter"
)

// A Piece is what [Stream] yields: a piece of the text of a reply or, as the
// last one, the whole Response.
type Piece struct {
	Text     string
	Discard  bool      // the pieces so far are no part of the reply: see [Delta]
	Response *Response // nil except in the last Piece, which has no Text
}

// Stream calls m and yields the text of the reply in pieces, as it arrives, and
// then the Response:
//
//	for piece, err := range llm.Stream(ctx, model, req) {
//		if err != nil {
//			return err
//		}
//		fmt.Print(piece.Text)
//	}
//
// An error is the last thing that is yielded; its Piece is empty. The call is
// made on the caller's goroutine. Leaving the loop cancels the call and waits
// until it has ended. The sequence can be ranged over again, which makes another
// call.
func Stream(ctx context.Context, m Model, req *Request) iter.Seq2[Piece, error] {
	return func(yield func(Piece, error) bool) {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		left := false
		resp, err := m.Generate(ctx, req, func(d Delta) {
			if !left && !yield(Piece{Text: d.Text, Discard: d.Discard}, nil) {
				left = true
				cancel(errReaderLeft)
			}
		})
		switch {
		case left:
		case err != nil:
			yield(Piece{}, err)
		default:
			yield(Piece{Response: resp}, nil)
		}
	}
}

var errReaderLeft = errors.New("llm: nobody reads the stream any more")

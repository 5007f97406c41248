package answertext

import (
	"context"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
)

// Stream returns a function that emits the pieces of a text on a channel.
func Stream(ctx context.Context, channel qed.Channel) func(llm.Delta) {
	return func(d llm.Delta) {
		qed.Emit(ctx, qed.Token{Channel: channel, Content: d.Text, Discard: d.Discard})
	}
}

// Append adds a paragraph to the text of an answer that was streamed, and streams it
// as well.
func Append(ctx context.Context, text *string, paragraph string) {
	if *text != "" {
		paragraph = "\n\n" + paragraph
	}
	*text += paragraph
	qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: paragraph})
}

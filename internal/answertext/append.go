package answertext

import (
	"context"

	"github.com/qedkit/qed"
)

// Append adds a paragraph to the text of an answer that was streamed, and streams it
// as well.
func Append(ctx context.Context, text *string, paragraph string) {
	if *text != "" {
		paragraph = "\n\n" + paragraph
	}
	*text += paragraph
	qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: paragraph})
}

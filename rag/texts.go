package rag

import (
	"context"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/usertext"
)

// texts are the texts that the agent writes for users, other than those of the
// model. A name in braces is replaced by its value.
// All but NoAnswer say why an answer is partial.
type texts struct {
	NoAnswer string // the answer without a text of the model; {reason} is one of the others
	Nothing  string // no passage was found
	Limit    string // the limit of the request was reached before an answer was written
	NoText   string // the model wrote nothing
	CutOff   string // the text is not complete
	NotCited string // the text cites no passage
	Unproved string // the text has numbers that the passages it cites do not have: {numbers}
}

var textTable = usertext.Of[texts]("rag")

// texts returns the texts in the language of the turn.
func (a *agent) texts(ctx context.Context) *texts { return textTable.In(ctx, qed.Info(ctx).Language) }

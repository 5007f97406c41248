package router

import (
	"context"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/usertext"
)

// texts are the texts that the router writes for users. All but Topics say why an answer is partial.
type texts struct {
	Topics   string // the answer if no route can be chosen; the descriptions of the routes follow
	NoRoute  string // no route can be chosen
	NoText   string // the model wrote nothing
	Declined string // the model declined to answer
	CutOff   string // the text is not complete

	NotLookedUp string // the user asked about a time
	Unproved    string // the model wrote numbers that the user did not: {numbers}
}

var textTable = usertext.Of[texts]("router")

// texts returns the texts in the language of the turn.
func (r *router) texts(ctx context.Context) *texts { return textTable.In(ctx, qed.Info(ctx).Language) }

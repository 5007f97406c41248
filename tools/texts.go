package tools

import (
	"context"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/usertext"
)

// texts are the texts of this package that users see.
type texts struct {
	Uncovered  string // an agent gave a partial answer and no reason
	NoInsights string

	NotLookedUp string // a text was written from nothing
	Unproved    string // what a text says without proof: {numbers}
}

var textTable = usertext.Of[texts]("tools")

func textsOf(ctx context.Context) *texts { return textTable.In(ctx, qed.Info(ctx).Language) }

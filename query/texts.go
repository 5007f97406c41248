package query

import (
	"context"
	"strconv"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/internal/usertext"
)

// texts are the texts of this package that users see if no later task uses a result.
type texts struct {
	Wrote, Changed string // a query in {language} for {source}

	// How many rows were found.
	None, One  string
	Found      string // {n}
	FirstSaved string // {n}, of which {saved} are saved
	MoreFound  string // more than the {n} that are saved

	Inexact     string // what was {found} may be incomplete for a {reason}
	DatesDiffer string // the query reads other times than the expected {dates}: {found}
	NoTime      string // the query reads no time
}

var textTable = usertext.Of[texts]("query")

func textsOf(ctx context.Context) *texts { return textTable.In(ctx, qed.Info(ctx).Language) }

// counted returns in words how many rows were found and how many are saved.
func (t *texts) counted(rows *finding.RowsRef, total int64) string {
	n := int64(rows.Count)
	text := t.Found
	switch {
	case total > n:
		text = t.FirstSaved
	case rows.Truncated:
		text = t.MoreFound
	case n == 0:
		text = t.None
	case n == 1:
		text = t.One
	}
	return usertext.Fill(text, "n", strconv.FormatInt(max(n, total), 10), "saved", strconv.FormatInt(n, 10))
}

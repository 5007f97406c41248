package sqlagent

import (
	"context"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/emptyresult"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/refusal"
)

// ErrEmptyResult is the code of the problem of a statement that found nothing, because the
// data has no row for one of its conditions.
const ErrEmptyResult refusal.Code = "empty_result"

// explainEmpty records why a statement found nothing. If another one may find something,
// that is a problem of the statement, which the model corrects once in a turn.
func (a *agent) explainEmpty(ctx context.Context, s *state, ran *execution) {
	empty, readable := a.empty.Explain(ctx, ran.stmt, ran.rows, a.perSession)
	if empty == nil {
		return
	}
	s.Query.Empty = empty
	qed.Emit(ctx, qed.QueryEmpty{Query: s.Query.Executed, Empty: *empty})
	if !s.Retried {
		s.Draft.Problems = remedy(empty, readable)
		s.Retried = len(s.Draft.Problems) > 0
	}
}

// remedy returns the problem of a statement that found nothing, if another statement may
// find something: the data has other values, two tables are joined so that no row
// matches, or the cause is of a form that is not probed.
func remedy(e *qed.EmptyResult, readable bool) []refusal.Problem {
	const keep = ". If the question means exactly this, write the same query again"
	message := ""
	for _, q := range e.Predicates {
		joins := len(q.Tables) > 1 && !e.Together
		if !emptyresult.IsBlamed(q) || len(q.Nearest) == 0 && !joins {
			continue
		}
		message += "; no row of " + strings.Join(q.Tables, ", ") + " meets " + q.SQL
		if len(q.Nearest) > 0 {
			message += ", and " + q.Column + " has values such as " + quotedList(q.Nearest)
		}
	}
	if message == "" && readable {
		return nil
	}
	return []refusal.Problem{{Code: ErrEmptyResult, Message: "the query ran and found nothing" + message + keep}}
}

func quotedList(all []string) string {
	return strings.Join(lists.Map(all, prompt.Quote), ", ")
}

// because returns why nothing was found, in words, or "" if that is not known, or if the
// reason is an expression that says no more than the query does.
func because(texts *texts, e *qed.EmptyResult) string {
	if e == nil || slices.ContainsFunc(e.Predicates, func(q qed.Predicate) bool {
		return emptyresult.IsBlamed(q) && !e.Together && q.SQL != "" && q.Column == "" && len(q.Tables) == 1
	}) {
		return ""
	}
	var reasons, all, known []string
	for _, q := range e.Predicates {
		if !emptyresult.IsBlamed(q) {
			continue
		}
		tables := strings.Join(q.Tables, ", ")
		switch {
		case q.SQL == "":
			reasons = append(reasons, usertext.Fill(texts.NoRows, "table", tables))
		case e.Together:
			all = append(all, q.SQL)
		default:
			reasons = append(reasons, usertext.Fill(texts.NoRowHas, "tables", tables, "condition", q.SQL))
		}
		switch {
		case len(q.Nearest) > 0:
			known = append(known, usertext.Fill(texts.HasValues, "column", q.Column, "values", quotedList(q.Nearest)))
		case q.From != "":
			known = append(known, usertext.Fill(texts.HasSpan, "column", q.Column, "from", q.From, "to", q.To))
		}
	}
	if len(all) > 0 {
		reasons = append(reasons, usertext.Fill(texts.NoRowHasAll, "conditions", strings.Join(all, "; ")))
	}
	if len(reasons) == 0 {
		return ""
	}
	text := texts.NothingFound
	if e.Limited {
		text = texts.NothingVisible
	}
	return strings.Join(append([]string{usertext.Fill(text, "reasons", strings.Join(reasons, "; "))}, known...), " ")
}
